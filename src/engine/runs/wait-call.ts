// A node that waits. The wait and its step are stored together; the step ends with how the wait was
// closed, so that a replay needs no more than the step.
import { uuidV7 } from '#core/ids.ts'
import { Stopping } from '#core/interruptions.ts'
import { isLong } from '#core/payload-text.ts'
import type { BegunStep } from '#core/step-states.ts'
import { NodeFailure } from '#graph/node/node-failure.ts'
import type { WaitEnd, WaitRequest } from '#graph/node/wait-request.ts'
import { longestWaitSeconds } from '#graph/node/wait-settings.ts'
import type { OpenedWait, RunWait } from '#store/engine-store.ts'
import { busyWith } from './activity.ts'
import type { CallSite } from './call-site.ts'
import type { NodeScope } from './node-scope.ts'
import { conclude, NotRecorded, newStep, replay } from './recorded-call.ts'
import { WindingDown } from './run-halt.ts'
import { endOf } from './run-waits.ts'
import { valueDigest } from './value-digest.ts'

/** The result of the step. */
type StoredEnd = WaitEnd & { digest: string }

export async function makeWait(
  scope: NodeScope,
  site: CallSite,
  request: WaitRequest,
): Promise<WaitEnd> {
  const { deps, work } = scope
  const path = `${site.path}#${site.calls++}`
  const waits = work.waits()
  work.hasWaits = true
  const named = () => deps.nameMedia(work.row.account_id, request.value)
  const digest = valueDigest(await busyWith(site.activity, named))
  const known = work.steps.get(path)
  if (known && known.status !== 'STARTED') {
    const end = await busyWith(site.activity, () => replay<StoredEnd>(deps, work, site, known))
    // A retry may come here with another value, and that one nobody has approved.
    if (request.kind === 'DELAY' || end.digest === digest) return end
  }
  if (!work.journal) throw new NotRecorded(path)
  if (known && known.status !== 'STARTED') await forgetRequest(scope, site)
  const begun = known?.status === 'STARTED' ? known : undefined
  const before = begun && waits.find(path)
  if (before && before.status !== 'OPEN') {
    return busyWith(site.activity, () => end(scope, site, { step: begun, row: before, digest }))
  }
  const step = begun ?? newStep(deps, work, { path, kind: 'WAIT', attempt: 1 })
  if (!before) {
    assertWithinAYear(scope, request)
    await waits.room()
  }
  let row: RunWait
  try {
    const opening = { step, request, digest }
    const wait = before ?? (await busyWith(site.activity, () => open(scope, site, opening)))
    await request.onOpen?.({ callbackUrl: deps.callbackUrl(wait.id) })
    row = await closed(scope, site, wait).catch((error) => giveUp(scope, wait, error))
  } finally {
    // Before this item needs a place: an item that has one may be waiting for this room.
    waits.leave()
  }
  return busyWith(site.activity, () => end(scope, site, { step, row, digest }))
}

/** It was sent for an earlier wait, and names that one's address. */
async function forgetRequest({ work }: NodeScope, { path, calls }: CallSite): Promise<void> {
  const request = work.steps.get(`${path}#${calls}`)
  if (!request) return
  await work.journal?.forget(request)
  work.steps.delete(request.path)
}

function assertWithinAYear({ deps }: NodeScope, { time }: WaitRequest) {
  const longestMs = longestWaitSeconds * 1000
  if ('afterMs' in time || time.untilMs <= deps.clock.nowMs() + longestMs) return
  throw new NodeFailure('TYPE_MISMATCH', 'The time to wait for is more than a year away.')
}

/** If only its item ends, nobody can answer it any more; the end of a run closes all its waits. */
export async function giveUp(
  { deps, work, halt }: NodeScope,
  wait: OpenedWait,
  error: unknown,
): Promise<never> {
  const isItem = halt !== work.halt && !work.halt.ending().aborted && !deps.stopping.aborted
  if (isItem) await deps.waits.cancel(work.row.account_id, wait)
  throw error
}

async function open(
  { deps, work, halt }: NodeScope,
  site: CallSite,
  { step, request, digest }: { step: BegunStep; request: WaitRequest; digest: string },
): Promise<OpenedWait> {
  if (!work.journal) throw new NotRecorded(step.path)
  const { kind, title, value, time, details } = request
  const json = JSON.stringify(value ?? null)
  const held = isLong(json) ? await deps.payloads.put(work.row.account_id, json) : json
  // Nobody would close it after the end of the run.
  halt.throwIfEnding()
  work.isChanged = true
  // The caller may have asked to be told that somebody is waited for, or the account has a webhook.
  const hasWebhook = kind !== 'DELAY'
  const wait = {
    id: uuidV7(deps.clock.nowMs()),
    account_id: work.row.account_id,
    run_id: work.row.id,
    path: step.path,
    node_id: site.root.id,
    kind,
    title,
    until_ms: 'untilMs' in time ? time.untilMs : null,
    after_ms: 'afterMs' in time ? time.afterMs : null,
    value: held,
    value_digest: digest,
    details,
  }
  return work.journal.open(step, wait, { hasWebhook })
}

/** Rejects if the run ends or continues in another process. */
export async function closed(
  { deps, work, halt }: NodeScope,
  site: CallSite,
  wait: OpenedWait,
): Promise<RunWait> {
  const left = AbortSignal.any([halt.ending(), deps.stopping])
  site.activity.beginWait()
  try {
    return await new Promise((resolve, reject) => {
      const leave = () => {
        work.waits().drop(wait)
        reject(halt.reason ?? (deps.stopping.aborted ? new Stopping() : new WindingDown()))
      }
      if (left.aborted) return leave()
      left.addEventListener('abort', leave)
      void work.waits().closed(wait).then(resolve)
    })
  } finally {
    site.activity.endWait()
  }
}

/** Ends the step; items of a list then need their place back. */
async function end(
  { deps, work }: NodeScope,
  site: CallSite,
  { step, row, digest }: { step: BegunStep; row: RunWait; digest: string },
): Promise<WaitEnd> {
  const { account_id } = work.row
  const read = row.answer === null ? {} : await deps.payloads.read(account_id, row.answer)
  // It may have been given days ago, and a picture in it had an address for one.
  const answer = await deps.refreshMedia(account_id, read)
  const ended = endOf(row, answer)
  if (!ended) throw work.halt.reason ?? new WindingDown()
  const stored: StoredEnd = { ...ended, digest }
  const json = JSON.stringify(stored)
  const result = isLong(json) ? await deps.payloads.put(account_id, json) : json
  conclude(deps, work, site, { step, result, costMicros: null })
  if (row.kind !== 'BATCH') deps.onWaitEnded?.(row.kind, ended.status)
  for (const place of site.places) await place.take()
  return ended
}
