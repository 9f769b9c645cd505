// Payloads and media are deleted by their age, whoever refers to them. So what an unfinished run refers
// to is renewed, and counts from then on as if it had just been stored:
//
//   asleep ── a third of the retention ──▶ woken, renewed, asleep again
//   overdue, as after a long stop of the server ──▶ renewed before it goes on
//   its end ──▶ renewed once more, so that it lasts as long as the run
//
// Upkeep deletes nothing of an account whose sleepers are overdue (store/tables/media.ts).
import { isLong, isReference, PayloadGone, referredTo } from '#core/payload-text.ts'
import type { Step } from '#core/step-states.ts'
import type { ClaimedRun } from '#store/engine-store.ts'
import type { RunDeps } from './run-deps.ts'

export type RenewDeps = Pick<RunDeps, 'waits' | 'payloads' | 'clock'>
type Held = Pick<ClaimedRun, 'id' | 'account_id'>

export const mediaAddress = /\/media\/([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})/g

/** Runs that do not sleep are no older when they end, and what they refer to lasts as long. */
const unnoticedMs = 3_600_000

export async function renewHeld(
  { waits, payloads, clock }: RenewDeps,
  { id, account_id: accountId }: Held,
): Promise<void> {
  const references = new Set<string>()
  const media = new Set<string>()
  for (const held of await waits.textsOf(id)) {
    if (isReference(held)) references.add(referredTo(held))
    const text = isReference(held) ? await payloads.get(accountId, held).catch(ifGone) : held
    for (const [, mediaId = ''] of text.matchAll(mediaAddress)) media.add(mediaId)
  }
  await waits.renew(accountId, { payloads: [...references], media: [...media] }, clock.nowMs())
}

/** The run may still do without it. */
function ifGone(error: unknown): string {
  if (error instanceof PayloadGone) return ''
  throw error
}

/** For a run that nobody woke in time. */
export async function renewIfOverdue(
  deps: RenewDeps & Pick<RunDeps, 'renewAfterMs'>,
  row: Held & Pick<ClaimedRun, 'slept_at'>,
): Promise<void> {
  const latestMs = deps.clock.nowMs() - deps.renewAfterMs - unnoticedMs
  if (row.slept_at !== null && row.slept_at < latestMs) await renewHeld(deps, row)
}

type Ending = Held & Pick<ClaimedRun, 'created_at' | 'slept_epoch' | 'inputs'>

/** `steps`: those of before it slept; without them it is not known what they hold. */
export async function renewAtEnd(
  deps: RenewDeps,
  row: Ending,
  steps?: Iterable<Step>,
): Promise<void> {
  const hasSleptLong = row.slept_epoch > 0 && deps.clock.nowMs() - row.created_at > unnoticedMs
  if (hasSleptLong && (!steps || mayRefer(row.inputs, steps))) await renewHeld(deps, row)
}

/** Most runs refer to nothing, and many may end at once. */
function mayRefer(inputs: string, steps: Iterable<Step>): boolean {
  if (isLong(inputs) || inputs.includes('/media/')) return true
  for (const { status, result } of steps) {
    // A long result is not listed with its step.
    if (status === 'DONE' && (result === null || mayHold(result))) return true
  }
  return false
}

const mayHold = (text: string) => isReference(text) || text.includes('/media/')
