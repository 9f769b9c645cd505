// Real text, images and video without keys, network or cost; the same request always gives the
// same result. Drawing never blocks the event loop, every failure is a ProviderError, and nothing
// here passes for a real model: each result says that it is a demo.
//
// A submission is answered with its result, also for video, so there is no job to poll. After a
// crash `find` says that a lost submission left nothing behind: making the same film again costs
// nothing and gives the same bytes, so the engine submits it again.
import { setImmediate as nextTick } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { delay } from '#core/clock.ts'
import type { StopSignal } from '#core/stop.ts'
import {
  type CallOptions,
  type EmbedRequest,
  type Provider,
  ProviderError,
  type ProviderErrorKind,
  type TextDelta,
  type TextRequest,
  type TextResult,
} from '../provider.ts'
import { refuseOptions } from '../text-options.ts'
import { embedTexts, maxEmbeddedTokens } from './embeddings.ts'
import { embeddedModels } from './models.ts'
import type { EmbeddedOptions, FailAs } from './options.ts'
import { type Job, planJob } from './plan.ts'
import { countTokens, piecesOf } from './text/tokens.ts'
import { createThread } from './thread.ts'
import type { Reply } from './worker.ts'

const maxWaiting = 200

export function createEmbeddedProvider(options: EmbeddedOptions = {}): Provider {
  // A thread for each, so that a picture never waits for a film.
  const threads = { IMAGE: openThread(), VIDEO: openThread() }
  let calls = 0

  const isFailing = (call: number): boolean =>
    options.failEvery !== undefined && call % options.failEvery === 0

  async function serve<T>(
    { signal }: CallOptions,
    work: () => T | Promise<T>,
    { evenIfLost = false } = {},
  ): Promise<T> {
    try {
      const call = ++calls
      if (options.delayMs) await delay(options.delayMs, signal)
      if (signal.aborted) throw signal.reason
      const failAs = options.failAs ?? 'busy'
      if (isFailing(call) && !(evenIfLost && failAs === 'lost')) throw failures[failAs]()
      return await work()
    } catch (error) {
      throw asProviderError(error, signal)
    }
  }

  return {
    name: 'embedded',
    generateText: (request, call) => serve(call, () => writeText(request)),
    async *streamText(request, call) {
      const isLost = options.failAs === 'lost' && isFailing(calls + 1)
      const result = await serve(call, () => writeText(request), { evenIfLost: true })
      yield* streamed(result, { signal: call.signal, isLost })
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
    // Where the operator wants losses to be seen, a lost call stays lost.
    find: async () => (options.failAs === 'lost' ? 'unknown' : null),
    async close() {
      await Promise.all([threads.IMAGE.close(), threads.VIDEO.close()])
    },
  }
}

async function writeText(request: TextRequest): Promise<TextResult> {
  checkModel(request.model, ['TEXT', 'CODE'])
  refuseOptions({ name: 'embedded' }, request)
  // Its words and rules are loaded with the first request.
  const { generateText } = await import('./text/generate.ts')
  return generateText(request)
}

function textsOf({ model, inputs }: EmbedRequest): string[] {
  checkModel(model, ['EMBEDDING'])
  let total = 0
  return inputs.map((input) => {
    if (typeof input !== 'string') throw refused('invalid', 'takes no tokens as input, but text')
    const count = countTokens(input)
    total += count
    const { input: one, request: all } = maxEmbeddedTokens
    if (count > one) throw refused('invalid', `an input has more than ${one} tokens`)
    if (total > all) throw refused('invalid', `the inputs have more than ${all} tokens together`)
    return input
  })
}

/** The answer piece by piece; one that the operator wants lost breaks off half way. */
async function* streamed(
  result: TextResult,
  { signal, isLost }: CallOptions & { isLost: boolean },
): AsyncGenerator<TextDelta> {
  yield { type: 'open', requestId: null }
  const pieces = piecesOf(result)
  for (const [index, piece] of pieces.entries()) {
    // Other requests are served between two pieces, as they are with a provider on the network.
    await nextTick()
    if (signal.aborted) throw asProviderError(signal.reason, signal)
    if (isLost && index * 2 >= pieces.length) throw failures.lost()
    yield piece
  }
}

function checkModel(id: string, kinds: readonly string[]): void {
  const model = embeddedModels.find((entry) => entry.id === id)
  if (!model) throw refused('not_found', 'there is no such model')
  if (!kinds.includes(model.kind)) throw refused('invalid', `${id} makes no ${kinds[0]}`)
}

const openThread = () =>
  createThread<Job, Reply>({
    maxWaiting,
    // Without the environment: drawing needs none of the server's secrets.
    start: () => new Worker(new URL('./worker.ts', import.meta.url), { env: {} }),
  })

const refused = (kind: ProviderErrorKind, message: string) =>
  new ProviderError(kind, { outcome: 'rejected', message: `embedded: ${message}` })

const failures: Record<FailAs, () => ProviderError> = {
  busy: () => refused('busy', 'fails this call as configured'),
  content: () => refused('content', 'refuses this call as configured'),
  lost: () =>
    new ProviderError('server', {
      outcome: 'unknown',
      message: 'embedded: loses the answer to this call as configured',
    }),
}

const failed = ({ failure, message }: Extract<Reply, { failure: string }>) =>
  failure === 'unreadable'
    ? refused('invalid', 'the input picture cannot be read')
    : refused('server', `drawing failed (${message.slice(0, 200)})`)

function asProviderError(error: unknown, signal: StopSignal): ProviderError {
  if (error instanceof ProviderError) return error
  if (!signal.aborted) {
    return new ProviderError('server', {
      outcome: 'rejected',
      message: 'embedded: failed',
      cause: error,
    })
  }
  const timedOut = signal.reason instanceof Error && signal.reason.name === 'TimeoutError'
  return new ProviderError(timedOut ? 'timeout' : 'canceled', {
    outcome: 'rejected',
    message: timedOut ? 'embedded: not done in time' : 'embedded: the call was canceled',
  })
}
