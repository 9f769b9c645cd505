import type { ErrorCode } from '#core/error-table.ts'
import { Failure } from '#core/errors.ts'
import { toMicros } from '#core/money.ts'
import type { RunOptions } from '#core/run-facts.ts'
import type { FiringReason, TriggerSettings } from '#core/triggers/trigger.ts'
import { inputSchemaOf } from '#graph/plan/schema.ts'
import type { FiringRow } from '#store/tables/firings.ts'
import { findWorkflowHead, type WorkflowHead } from '#store/tables/runs.ts'
import type { TriggerRow } from '#store/tables/triggers.ts'
import { findGraph } from '#store/tables/workflows.ts'
import type { Context, Services } from '../context.ts'
import { findReplay } from '../runs/accept-run.ts'
import {
  acceptGraph,
  assertWithinLimits,
  checkRunnable,
  optionsOf,
} from '../runs/accepted-graph.ts'
import type { CompiledInputs } from '../runs/run-services.ts'
import { asRunOf } from '../runs/run-tag.ts'
import type { StartedFiring, TriggerServices } from './trigger-services.ts'

/**
 * Starts the run of a firing, or finds it: its key is stored with the firing and known to nobody
 * else. Rejects with anything that may be different the next time.
 */
export const createRunStarter =
  (services: Services, { now, makerOf }: Pick<TriggerServices, 'now' | 'makerOf'>) =>
  async (firing: FiringRow, trigger: TriggerRow): Promise<StartedFiring> => {
    const { account_id: accountId, workflow_id: workflowId, run_key: key } = firing
    const owner = { services, principal: { accountId } }
    // A run that is stored stays the run of its firing, whatever has changed since.
    const known = await findReplay(owner, workflowId, key, firing.id)
    if (known) return { runId: known.id }
    if (firing.reason !== null) return { reason: firing.reason, message: firing.message ?? '' }
    const principal = await makerOf(trigger, await now())
    if (typeof principal === 'string') {
      return { reason: 'PAUSED', message: whyPaused[principal] ?? '', pause: principal }
    }
    try {
      return { runId: await submit({ services, principal }, firing, trigger) }
    } catch (error) {
      const reason = error instanceof Failure ? reasons[error.code] : undefined
      if (!reason) throw error
      return { reason, message: (error as Failure).message }
    }
  }

const whyPaused: Record<string, string> = {
  KEY_REVOKED: 'The key that made the trigger is revoked or has expired.',
  MEMBER_LEFT: 'Whoever made the trigger may not start runs any more.',
}

/** Anything else may succeed later. */
const reasons: Partial<Record<ErrorCode, FiringReason>> = {
  WORKFLOW_NOT_FOUND: 'NO_VERSION',
  VERSION_NOT_FOUND: 'NO_VERSION',
  WORKFLOW_INVALID: 'NO_VERSION',
  UNSUPPORTED_NODES: 'NO_VERSION',
  INPUT_INVALID: 'INVALID_INPUT',
  CALLBACK_URL_REJECTED: 'INVALID_INPUT',
  SPEND_LIMIT_REACHED: 'BUDGET',
  UNPRICED_MODEL: 'BUDGET',
  QUOTA_EXCEEDED: 'QUOTA',
  IDEMPOTENCY_KEY_REUSED: 'INVALID_INPUT',
}

async function submit(context: Context, firing: FiringRow, trigger: TriggerRow): Promise<string> {
  const { services, principal } = context
  const { settings } = trigger
  const workflow = await requireVersion(context, trigger)
  const graph = await acceptGraph(context, workflow)
  const inputs = await inputsOf(context, graph, firing, trigger)
  await checkRunnable(context, graph, inputs)
  const { callbackUrl, maxCost } = settings
  const asRun = asRunOf(context, workflow.id, settings.tag)
  const isReusing = graph.reuses
  const { economySeconds } = settings
  const mayWait = graph.mayWait || economySeconds !== undefined
  const limited = { hasMaxCost: maxCost !== null, isReusing }
  await assertWithinLimits(asRun, { ...graph, mayWait }, limited)
  const { id, name, version, data_version: dataVersion } = workflow
  // A repeat is the same request: it waits for what the first one stores as long as that does.
  const run = await services.runs.submit({
    principal: asRun.principal,
    ...{ key: firing.run_key, fingerprint: firing.id },
    callbackUrl: callbackUrl === null ? null : await services.graphs.checkCallbackUrl(callbackUrl),
    workflow: { id, name, version, dataVersion },
    called: graph.called,
    routes: graph.routes,
    nodeCount: graph.plan.nodes.length,
    inputs: await services.runs.payloads.put(principal.accountId, JSON.stringify(inputs)),
    metadata: settings.metadata,
    maxCostMicros: maxCost === null ? null : toMicros(maxCost),
    options: withEconomy(optionsOf({}, graph), economySeconds, services.clock.nowMs()),
    retryOf: null,
  })
  return run.id
}

const withEconomy = (options: RunOptions | null, seconds: number | undefined, nowMs: number) =>
  seconds === undefined
    ? options
    : { ...options, lane: 'economy' as const, deadlineMs: nowMs + seconds * 1000 }

async function inputsOf(
  { services, principal }: Context,
  graph: CompiledInputs,
  { inputs: sent }: FiringRow,
  { settings }: TriggerRow,
): Promise<Record<string, unknown>> {
  const inputs = takenInputs(graph, settings, sent === null ? {} : JSON.parse(sent))
  // Copies of stored media, which live as long as the run does.
  const kept = await services.runs.keepMedia(principal.accountId, inputs)
  if (kept === undefined) {
    throw new Failure('INPUT_INVALID', { message: 'A picture or video of the inputs was deleted.' })
  }
  return kept as Record<string, unknown>
}

/** Without a mapping, a webhook's body may have members that are no inputs. */
export function takenInputs(
  { plan }: CompiledInputs,
  { mapping, inputs }: Pick<TriggerSettings, 'mapping' | 'inputs'>,
  mapped: Record<string, unknown>,
): Record<string, unknown> {
  const { properties } = inputSchemaOf(plan) as { properties: object }
  const isTaken = ([name]: [string, unknown]) =>
    mapping !== undefined || Object.hasOwn(properties, name)
  return { ...inputs, ...Object.fromEntries(Object.entries(mapped).filter(isTaken)) }
}

/** The version that a trigger starts. Throws if there is none. */
export async function requireVersion(
  { services, principal }: Context,
  { workflow_id: workflowId, version }: Pick<TriggerRow, 'workflow_id' | 'version'>,
): Promise<WorkflowHead> {
  const head = await findWorkflowHead(services.db, principal.accountId, workflowId)
  if (!head) throw new Failure('WORKFLOW_NOT_FOUND')
  if (version === 'latest' || Number(version) === head.version) return head
  const number = Number(version)
  if (!(await findGraph(services.db, workflowId, number))) throw new Failure('VERSION_NOT_FOUND')
  return { ...head, version: number, data_version: number }
}
