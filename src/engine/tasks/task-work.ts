import { tokensPerPicture } from '#core/call-tokens.ts'
import type { CatalogueEntry, Model, Pricing } from '#core/catalogue.ts'
import type { TimedClock } from '#core/clock.ts'
import type { InputImage, TaskRequest } from '#core/generation.ts'
import { highestPrice, priceOf } from '#core/pricing.ts'
import type { SettledCall } from '#core/settled-call.ts'
import type { Usage } from '#core/usage.ts'
import type { Billed, MediaInput, MediaRequest, Output } from '#providers/provider.ts'
import type { Claim, Settlement, TaskRow, Tasks, Units } from '#store/engine-store.ts'
import { clampUsage } from '../calls/call-bounds.ts'
import type { CircuitBreaker, Served } from '../calls/circuit-breaker.ts'
import type { DeploymentDeps } from '../calls/deployments.ts'
import { enterForRun } from '../calls/lane-gate.ts'
import type { Lanes } from '../calls/lanes.ts'
import type { PictureMemory } from '../calls/picture-memory.ts'
import type { ServingDeps } from './task-serving.ts'

/** What executing a task needs from the rest of the server. */
export type TaskDeps = ServingDeps & {
  tasks: Tasks
  clock: TimedClock
  breaker: CircuitBreaker
  lanes: Pick<Lanes, 'enter' | 'isLimited' | 'positionOf' | 'leave' | 'waitingFor'>
  gate: DeploymentDeps['gate']
  loadImage(accountId: string, image: InputImage, signal: AbortSignal): Promise<MediaInput>
  pictures: PictureMemory
  /** Saves results in the media store and returns the JSON for the task's row. Throws
   * ResultUnusable if trying again is of no use. */
  storeOutputs(
    task: { accountId: string; kind: TaskRow['kind'] },
    outputs: Output[],
    signal: AbortSignal,
  ): Promise<string>
  /** Random number for jitter: 0 ≤ x < 1. */
  random(): number
  onEnded(kind: TaskRow['kind'], status: 'COMPLETED' | 'FAILED' | 'CANCELLED'): void
  onSettled?(call: SettledCall): void
  onError(error: unknown, taskId?: string): void
  onQuarantined?(kind: 'task'): void
}

/** One task while a worker executes it. */
export type TaskWork = {
  row: TaskRow
  claim: Claim
  request: TaskRequest
  /** Aborts when the task is lost or its time is up. */
  signal: AbortSignal
  /** Aborts when the task is no longer this worker's: nothing more may be written. */
  lost: AbortSignal
  /** As in the lease: nobody else can own the task. */
  isCertain(): boolean
  /** Aborts when the process stops: waiting ends, calls under way are finished. */
  stopping: AbortSignal
}

export type Pictures = { image?: MediaInput; references?: MediaInput[]; mask?: MediaInput }

export const attemptId = (taskId: string, attempt: number): string => `${taskId}:${attempt}`

export function mediaRequest(
  work: TaskWork,
  model: string,
  { image, references, mask }: Pictures = {},
): MediaRequest {
  const { prompt, aspectRatio, quality, sampleSize, seconds, resolution, generateAudio, options } =
    work.request
  return work.row.kind === 'IMAGE'
    ? {
        ...{ kind: 'IMAGE', model, prompt, image, references, ...(mask ? { mask } : {}) },
        ...{ aspectRatio, quality, sampleSize, options },
      }
    : {
        kind: 'VIDEO',
        model,
        prompt,
        image,
        aspectRatio,
        seconds,
        resolution,
        generateAudio,
        options,
      }
}

const defaultVideoSeconds = 5
/** What a successful call is expected to use, before it is made. */
export function expectedUnits(
  kind: TaskRow['kind'],
  request: Pick<TaskRequest, 'seconds'>,
  model: Pick<Model, 'capabilities'> | undefined,
): Units {
  if (kind === 'IMAGE') return { images: 1 }
  const byDefault = model?.capabilities.videoSeconds?.default ?? defaultVideoSeconds
  return { videoSeconds: request.seconds ?? byDefault }
}

/** The most a call can cost; null if the price is not known. */
export function mostMicros(
  kind: TaskRow['kind'],
  request: Pick<TaskRequest, 'seconds'> & Given,
  model: Pick<Model, 'capabilities' | 'pricing'> | undefined,
): number | null {
  const pricing = model?.pricing ?? null
  const flat = isPerOutput(pricing) ? priceOf(pricing, expectedUnits(kind, request, model)) : null
  if (!isPerToken(pricing)) return flat
  const byToken = highestPrice(pricing, mostTokens(request, 1))
  return byToken === null ? flat : Math.max(byToken, flat ?? 0)
}

const isPerOutput = (pricing: Pricing | null): boolean =>
  pricing?.perImage !== undefined || pricing?.perSecond !== undefined

/** If picture tokens have a price, they are billed, and a price per picture is an estimate. */
const isPerToken = (pricing: Pricing | null): boolean =>
  !isPerOutput(pricing) || pricing?.outputImagePerMillionTokens !== undefined

type Given = {
  prompt: string
  image?: unknown
  references?: readonly unknown[]
  mask?: unknown
}

function mostTokens({ prompt, image, references = [], mask }: Given, pictures: number): Usage {
  const { made, given, added } = tokensPerPicture
  const givenPictures = (image ? 1 : 0) + references.length + (mask ? 1 : 0)
  const inputTokens = Buffer.byteLength(prompt) + added + given * givenPictures
  const outputTokens = made * pictures
  return {
    inputTokens,
    outputTokens,
    cachedInputTokens: inputTokens,
    cacheWriteTokens: inputTokens,
    inputImageTokens: inputTokens,
    cachedImageTokens: inputTokens,
    reasoningTokens: outputTokens,
    outputImageTokens: outputTokens,
  }
}

/** Units and cost of a finished call: the provider's own figures first, then our price list. */
export function settlementOf(
  work: TaskWork,
  entry: CatalogueEntry,
  done: { outputCount: number; billed?: Billed },
): Pick<Settlement, 'units' | 'costMicros' | 'remark'> {
  const { billed } = done
  const units: Units = { ...expectedUnits(work.row.kind, work.request, entry.model) }
  if (work.row.kind === 'IMAGE') units.images = done.outputCount
  const most = mostTokens(work.request, Math.max(1, done.outputCount))
  const counted = billed?.usage && clampUsage(billed.usage, { most }, { answerBytes: 0 })
  const { pricing } = entry.model
  const byToken = counted && isPerToken(pricing) ? priceOf(pricing, counted.usage) : null
  const flat = isPerOutput(pricing) ? priceOf(pricing, units) : null
  return {
    units: { ...units, ...counted?.usage },
    costMicros: billed?.costMicros ?? byToken ?? flat,
    ...(counted?.remark ? { remark: counted.remark } : {}),
  }
}

/**
 * Nobody waits for a task with an open connection, and how many tokens it uses is not known. Rejects
 * with a LongDelay if its turn is far away.
 */
export async function inLane<T>(
  { lanes, breaker, clock }: Pick<TaskDeps, 'lanes' | 'breaker' | 'clock'>,
  { row, signal }: TaskWork,
  served: Served & { model: { id: string } },
  submit: () => Promise<T>,
): Promise<T> {
  const call = { accountId: row.account_id, isBatch: true, tokens: 0, model: served.providerModel }
  const waiting = { sinceMs: row.created_at, began: () => () => undefined }
  const pass = lanes.isLimited(served)
    ? await enterForRun({ lanes, clock }, served, { signal, waiting }, call)
    : undefined
  try {
    return await breaker.guard(served, submit)
  } finally {
    pass?.left(null)
  }
}
