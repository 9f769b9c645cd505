import { hash, randomBytes } from 'node:crypto'
import { Failure } from '#core/errors.ts'
import { jitterOf } from '#core/triggers/timetable.ts'
import { jitterMsOf, type TriggerSettings } from '#core/triggers/trigger.ts'
import { lastFirings } from '#store/tables/firings.ts'
import { findTrigger, findTriggerByToken, type TriggerRow } from '#store/tables/triggers.ts'
import type { Context, Services } from '../context.ts'
import { acceptGraph, checkRunnable } from '../runs/accepted-graph.ts'
import { requireVersion } from './start-run.ts'
import { refuse } from './trigger-input.ts'
import { toTrigger } from './trigger-record.ts'

/** A trigger is a change of a workflow that starts runs. An operation names one scope only. */
export function requireBothScopes({ principal }: Context): void {
  for (const scope of ['workflows:write', 'runs:write'] as const) {
    if (!principal.scopes.has(scope))
      throw new Failure('INSUFFICIENT_SCOPE', { details: { scope } })
  }
}

export async function requireTrigger(
  { services, principal }: Context,
  { workflowId, triggerId }: { workflowId: number; triggerId: string },
): Promise<TriggerRow> {
  const { accountId } = principal
  // Identifiers are compared as text, and a client may write them in capitals.
  const id = triggerId.toLowerCase()
  const row = await findTrigger(services.db, { accountId, workflowId, id })
  if (!row) throw new Failure('TRIGGER_NOT_FOUND')
  return row
}

export function readVersion(version: string | number | undefined, before: string): string {
  if (version === undefined) return before
  if (typeof version === 'number' || version === 'latest') return String(version)
  const message = `cannot be "${version}": versions have no labels, use latest or a number`
  throw refuse([{ path: '/version', rule: 'trigger', message }])
}

/** Throws what a run would be refused with, as far as that can be known before it fires. */
export async function checkRuns(
  context: Context,
  trigger: Pick<TriggerRow, 'workflow_id' | 'version' | 'kind' | 'settings'>,
): Promise<void> {
  const graph = await acceptGraph(context, await requireVersion(context, trigger))
  const { inputs, callbackUrl } = trigger.settings
  if (trigger.kind !== 'WEBHOOK') await checkRunnable(context, graph, inputs)
  if (callbackUrl !== null) await context.services.graphs.checkCallbackUrl(callbackUrl)
}

/** When it fires next. A trigger that is off has no time, so that nothing is caught up. */
export function timesOf(
  id: string,
  settings: TriggerSettings,
  { nextMs, isOn }: { nextMs: number | null; isOn: boolean },
): Pick<TriggerRow, 'next_at' | 'due_at'> {
  const due_at =
    isOn && nextMs !== null ? nextMs + jitterOf(id, nextMs, jitterMsOf(settings)) : null
  return { next_at: nextMs, due_at }
}

const tokenBytes = 24

/** The token is known to the caller only; what is stored recognises it. */
export function makeToken(): { token: string; token_hash: string } {
  const token = randomBytes(tokenBytes).toString('base64url')
  return { token, token_hash: hashOfToken(token) }
}
const hashOfToken = (token: string): string => hash('sha256', `hook ${token}`)

const hookPath = '/hooks'

/** The trigger that a token in an address is for, deleted or not. */
export const hookTrigger = ({ db }: Services, token: string): Promise<TriggerRow | undefined> =>
  findTriggerByToken(db, hashOfToken(token))

/** As it is answered, with its newest firing. */
export async function showTrigger(context: Context, row: TriggerRow, token?: string) {
  const { services } = context
  const [last] = await lastFirings(services.db, row.account_id, [row.id])
  const nowMs = await services.triggers.now()
  return toTrigger(row, {
    ...{ nowMs, last },
    ...(token === undefined ? {} : { url: `${services.baseUrl}${hookPath}/${token}` }),
  })
}

/** Names a trigger in the audit log. */
export const triggerTarget = (made: unknown): string | null => {
  const row = made as TriggerRow | 'too-many' | null | undefined
  return row && row !== 'too-many' ? `${row.id} ${row.name}` : null
}
