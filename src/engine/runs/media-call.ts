// Makes a picture or video for a node as a separate task, which survives whatever happens to this
// process. The task and the step that names it are stored together, so that a resumed run waits
// for the task instead of ordering another.

import { ownerOf } from '#core/catalogue.ts'
import { Failure } from '#core/errors.ts'
import { Stopping } from '#core/interruptions.ts'
import { choicesOf } from '#core/principal.ts'
import type { NodeError } from '#core/run-facts.ts'
import type { BegunStep } from '#core/step-states.ts'
import type { Media, NodeExecution } from '#graph/node/node-type.ts'
import type { EndedTask } from '#store/engine-store.ts'
import { isAsAsked, mostOfAny, taskModels } from '../tasks/task-models.ts'
import type { CallSite } from './call-site.ts'
import { showDelay } from './delay-call.ts'
import { StepFailure, timeLimit, unforeseen } from './node-error.ts'
import type { NodeScope } from './node-scope.ts'
import {
  bookAgain,
  type CallAt,
  conclude,
  fail,
  isInterruption,
  newStep,
  recorded,
  waitEnd,
} from './recorded-call.ts'
import { refreshSpender } from './run-spender.ts'

type MediaCall = Parameters<NodeExecution['createMediaTask']>[0]

export const makeMediaTask = (
  scope: NodeScope,
  site: CallSite,
  call: MediaCall,
): Promise<Media[]> =>
  recorded(scope, site, { kind: 'MEDIA', call }, (at) => makeTask(scope, site, call, at))

async function makeTask(
  scope: NodeScope,
  site: CallSite,
  call: MediaCall,
  { path, known, key }: CallAt,
): Promise<Media[]> {
  const { deps, work, halt, calls } = scope
  const request = requestOf(call)
  const choices = { ...choicesOf(work.spender), owner: ownerOf(call.credential) }
  const { makers } = taskModels(deps.catalogue, call.model, choices)
  const neededMicros = mostOfAny(makers, call.kind, {
    ...request,
    ...{ image: call.image, mask: call.mask },
  })
  // With its key, as the picture may be made when this run has long ended.
  let step = known ?? {
    ...newStep(deps, work, { path, kind: 'MEDIA', attempt: 1 }),
    reuse: await key,
  }
  const heldMicros = neededMicros ?? 0
  // A task that was ordered before is in flight, whatever the limit.
  const waited = step.task_id
    ? work.money.holdAgain(step.task_id, heldMicros)
    : work.money.hold(heldMicros)
  if (waited) await waited
  try {
    if (waited) await refreshSpender(deps, work)
    if (!step.task_id) {
      const ordered = order(scope, site, step, call)
      work.orders.add(ordered)
      step = await ordered.finally(() => work.orders.delete(ordered))
    }
    site.progress.taskId ??= step.task_id
    site.progress.attempts = 1
    work.isChanged = true
    work.callsOut++
    calls.beginWait()
    const task = await deps.taskEnded(step.task_id ?? '').finally(calls.endWait)
    work.isPaid = true
    // Nothing had been sent: the run gave it up when something else failed.
    if (task.status === 'CANCELLED') halt.throwIfEnding()
    if (task.status !== 'COMPLETED') throw new StepFailure(errorOf(task))
    const value = deps.mediaUrls(task.media)
    const result = await deps.payloads.put(work.row.account_id, JSON.stringify(value))
    const reuse = isAsAsked(task) ? await key : null
    conclude(deps, work, site, { step, result, costMicros: task.cost_micros, reuse })
    work.callsOut--
    return value
  } catch (error) {
    // Nothing was ordered, so there is no step to end.
    if (!step.task_id) throw error
    // One that is interrupted still counts as out: if the run ends, its picture is taken in later.
    if (!isInterruption(error)) {
      work.callsOut--
      await bookAgain(scope, step.task_id, heldMicros)
    }
    return await fail(deps, work, step, error)
  } finally {
    work.money.release(heldMicros)
  }
}

/** A task that reached its time limit is reported as the node's time limit. */
function errorOf(task: EndedTask): NodeError {
  const error = task.error ?? unforeseen
  const wasLate = task.completed_at >= task.deadline_at
  return error.code === 'PROVIDER_TIMEOUT' && wasLate ? timeLimit(error.message) : error
}

async function order(
  scope: NodeScope,
  site: CallSite,
  step: BegunStep,
  call: MediaCall,
): Promise<BegunStep> {
  const { deps, work, halt } = scope
  if (deps.stopping.aborted) throw new Stopping()
  halt.throwIfEnding()
  const credentialId = await credentialOf(scope, call)
  const ordered = await deps.orderTask({
    principal: work.spender,
    isCostLimited: work.row.max_cost_micros !== null,
    credentialId,
    modelId: call.model,
    kind: call.kind,
    request: {
      ...requestOf(call),
      ...(call.image ? { imageUrl: call.image.url } : {}),
      ...(call.mask ? { maskUrl: call.mask.url } : {}),
    },
    run: {
      runId: work.row.id,
      nodeId: site.root.id,
      deadlineMs: work.row.options?.deadlineMs,
      key: step.reuse ?? null,
    },
  })
  // The results that this picture is made from must be stored before it.
  await work.stored
  const task = () => {
    halt.throwIfEnding()
    return ordered.task()
  }
  const intent = { task, step, claim: work.claim }
  const delay = { kind: 'BUDGET', model: call.model } as const
  const over = ordered.spend ? showDelay(scope, site, { path: step.path, delay }) : undefined
  const stored = ordered.spend
    ? deps.admit({ ...ordered.spend, until: waitEnd(scope), isOfRun: true, intent })
    : deps.ledger.store(work.row.account_id, intent)
  const [{ id } = { id: null }] = await stored.finally(over)
  return { ...step, task_id: id }
}

/** Looked up when the task is ordered: it is executed later, with this very credential. */
async function credentialOf(
  { deps, work }: NodeScope,
  { credential: name, model }: MediaCall,
): Promise<string | null> {
  if (name === undefined) return null
  const choices = { ...choicesOf(work.spender), owner: 'account' as const }
  const { makers } = taskModels(deps.catalogue, model, choices)
  const [first] = makers
  if (!first) throw new Failure('MODEL_NOT_FOUND')
  const { provider } = first
  return deps.credentialIdOf({ accountId: work.row.account_id, name, provider })
}

function requestOf({ kind, prompt, parameters: p }: MediaCall) {
  const word = (name: string) => (typeof p[name] === 'string' ? (p[name] as string) : undefined)
  if (kind === 'IMAGE') {
    return {
      prompt,
      aspectRatio: word('imageAspectRatio'),
      quality: word('imageQuality'),
      sampleSize: word('imageSampleSize'),
    }
  }
  return {
    prompt,
    aspectRatio: word('videoAspectRatio'),
    seconds: typeof p.videoSeconds === 'number' ? p.videoSeconds : undefined,
    resolution: word('videoResolution'),
    generateAudio: typeof p.videoGenerateAudio === 'boolean' ? p.videoGenerateAudio : undefined,
  }
}
