// Real text, images and video without keys, network or cost; the same request always gives the
// same result. Drawing never blocks the event loop, and every failure is a ProviderError. Nothing
// here poses as a real model: pictures and videos are labelled as a demo.
//
// A submission is answered with its result, even for video, so there is no job to poll. After a
// crash, `find` reports that a lost submission left nothing behind, and the engine submits it
// again: making the same video again costs nothing and gives the same bytes.
import { setImmediate as nextTick } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { delay } from '#core/clock.ts'
import type { StopSignal } from '#core/stop.ts'
import { threadEnv } from '#core/thread-env.ts'
import {
  type CallOptions,
  type EmbedRequest,
  type Provider,
  ProviderError,
  type ProviderErrorKind,
  type TextRequest,
  type TextResult,
} from '../provider.ts'
import { refuseOptions } from '../text-options.ts'
import { embedTexts, maxEmbeddedTokens } from './embeddings.ts'
import { demoModels } from './models.ts'
import type { DemoOptions, FailAs } from './options.ts'
import { type Job, planJob } from './plan.ts'
import { countTokens, piecesOf } from './text/tokens.ts'
import { createThread } from './thread.ts'
import type { Reply } from './worker.ts'

export function createDemoProvider(options: DemoOptions = {}): Provider {
  // One thread for each kind, so that a picture never waits for a video.
  const threads = { IMAGE: openThread(), VIDEO: openThread() }
  let calls = 0

  /** How the operator wants a call to fail, if at all. */
  const failureOf = (call: number): FailAs | undefined =>
    options.failEvery && call % options.failEvery === 0 ? (options.failAs ?? 'busy') : undefined

  async function serve<T>({ signal }: CallOptions, work: () => T | Promise<T>, ignored?: FailAs) {
    try {
      const failAs = failureOf(++calls)
      if (options.delayMs) await delay(options.delayMs, signal)
      if (signal.aborted) throw signal.reason
      if (failAs && failAs !== ignored) throw failures[failAs]()
      return await work()
    } catch (error) {
      throw asProviderError(error, signal)
    }
  }

  return {
    name: 'embedded',
    generateText: (request, call) => serve(call, () => writeText(request)),
    async *streamText(request, call) {
      const isLost = failureOf(calls + 1) === 'lost'
      const pieces = piecesOf(await serve(call, () => writeText(request), 'lost'))
      yield { type: 'open', requestId: null }
      for (const [index, piece] of pieces.entries()) {
        // Other requests are served between two pieces, as with a provider on the network.
        await nextTick()
        if (call.signal.aborted) throw asProviderError(call.signal.reason, call.signal)
        // A stream that simulates a loss breaks off half-way.
        if (isLost && index * 2 >= pieces.length) throw failures.lost()
        yield piece
      }
    },
    embed: (request, call) => serve(call, () => embedTexts(textsOf(request), request, call.signal)),
    submit: (request, call) =>
      serve(call, async () => {
        checkModel(request.model, [request.kind])
        const job = planJob(request)
        const reply = await threads[job.kind].run(job, call.signal)
        if ('failure' in reply) throw failed(reply)
        const mimeType = job.kind === 'IMAGE' ? 'image/png' : 'video/mp4'
        return { done: [{ bytes: reply.bytes, mimeType }] }
      }),
    // If the operator simulates losses, a lost call stays lost.
    find: async () => (options.failAs === 'lost' ? 'unknown' : null),
    async close() {
      await Promise.all([threads.IMAGE.close(), threads.VIDEO.close()])
    },
  }
}

async function writeText(request: TextRequest): Promise<TextResult> {
  checkModel(request.model, ['TEXT', 'CODE'])
  refuseOptions({ name: 'embedded' }, request)
  // The rules are loaded with the first request.
  const { generateText } = await import('./text/generate.ts')
  return generateText(request)
}

function textsOf({ model, inputs }: EmbedRequest): string[] {
  checkModel(model, ['EMBEDDING'])
  const { input: one, request: all } = maxEmbeddedTokens
  let total = 0
  return inputs.map((input) => {
    if (typeof input !== 'string') throw refused('invalid', 'accepts text, not tokens, as input')
    const count = countTokens(input)
    total += count
    if (count > one) throw refused('invalid', `an input has more than ${one} tokens`)
    if (total > all) throw refused('invalid', `the inputs have more than ${all} tokens together`)
    return input
  })
}

function checkModel(id: string, kinds: readonly string[]): void {
  const model = demoModels.find((entry) => entry.id === id)
  if (!model) throw refused('not_found', 'there is no such model')
  if (!kinds.includes(model.kind))
    throw refused('invalid', `${id} is of kind ${model.kind}, not ${kinds.join(' or ')}`)
}

const openThread = () =>
  createThread<Job, Reply>({
    maxWaiting: 200,
    // Without the environment: drawing needs none of the server's secrets.
    start: () => new Worker(new URL('./worker.ts', import.meta.url), { env: threadEnv() }),
  })

const refused = (kind: ProviderErrorKind, message: string, cause?: unknown) =>
  new ProviderError(kind, { outcome: 'rejected', message: `embedded: ${message}`, cause })

const lost = 'embedded: loses the answer to this call as configured'
const failures: Record<FailAs, () => ProviderError> = {
  busy: () => refused('busy', 'fails this call as configured'),
  content: () => refused('content', 'refuses this call as configured'),
  lost: () => new ProviderError('server', { outcome: 'unknown', message: lost }),
}

const failed = ({ failure, message }: Extract<Reply, { failure: string }>) =>
  failure === 'unreadable'
    ? refused('invalid', 'the input picture cannot be read')
    : refused('server', `drawing failed (${message.slice(0, 200)})`)

function asProviderError(error: unknown, { aborted, reason }: StopSignal): ProviderError {
  if (error instanceof ProviderError) return error
  if (!aborted) return refused('server', 'failed', error)
  const isLate = reason instanceof Error && reason.name === 'TimeoutError'
  return isLate
    ? refused('timeout', 'not done in time')
    : refused('canceled', 'the call was canceled')
}
