// One HTTP exchange with a provider, made exactly once. The answer is returned whole or passed on
// as it arrives. This is the one place that decides whether a request may have been sent:
//
//   connecting ──────── writing begins ──────── answer begins ──────── answer ends
//       │ not_sent            │ unknown               │ unknown, or a refusal from 400 on
//
// The connection is open before `onRequestStart` is called, so if that call never came, certainly
// nothing was sent. Never retries, and never holds more of an answer than its limit allows.
import type { Dispatcher } from 'undici'
import type { StopSignal } from '#core/stop.ts'
import { decompress, decompressed, isCompressed } from './content-encoding.ts'
import type { LearntLimits } from './learnt-limits.ts'
import { ProviderError } from './provider.ts'
import { abortedError, stopped, tooLarge, transportError, unreadable } from './transport-errors.ts'
import { type Answer, isEventStream, type Upstream } from './upstream.ts'

/** `chunks` is present if the answer has status 200 and is passed on as it arrives. */
export type Opened = Answer & { chunks?: AsyncGenerator<Buffer, void, undefined> }

export type ExchangeOptions = {
  signal: StopSignal
  /**
   * What is passed on as it arrives, if the status is 200. 'stream': an event stream; 'bytes': any
   * answer. Everything else is read whole.
   */
  delivery: 'whole' | 'stream' | 'bytes'
  maxBytes: number
  /** Is told what the vendor says about the limits of the model. */
  limits?: Pick<LearntLimits, 'read'>
  model?: string | undefined
}

/** Of an error answer, or one that should have been a stream, only the beginning is read. */
const errorAnswerMaxBytes = 64 * 1024
/** If the reader falls this far behind, receiving is paused. */
const windowBytes = 64 * 1024
const emptyBody = Buffer.alloc(0)

/** Uses `dispatch` rather than `request`, because only `dispatch` reports when writing begins. */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  upstream: Upstream,
  options: ExchangeOptions,
): Promise<Opened> {
  return new Promise((resolve, reject) => {
    const state = new Exchange(upstream, options, resolve, reject)
    if (options.signal.aborted) return state.onAbort()
    options.signal.addEventListener('abort', state.onAbort)
    dispatcher.dispatch(request, state)
  })
}

/**
 * The state of one exchange, and what undici calls while it goes on. It is a class because every
 * chat makes one: the methods are shared instead of being created for each.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly upstream: Upstream
  readonly answer: Opened = { status: 0, headers: {}, body: emptyBody }
  readonly #options: ExchangeOptions
  readonly #resolve: (opened: Opened) => void
  readonly #reject: (failure: ProviderError) => void
  #limit: number
  size = 0
  /** Received but not read yet; for a whole answer, all of it. */
  waiting: Buffer[] = []
  waitingBytes = 0
  /** Present once writing begins: from then on the request may have arrived. */
  controller: Dispatcher.DispatchController | undefined = undefined
  ended = false
  failure: ProviderError | undefined = undefined
  /** Wakes the reader of a stream. */
  wake: (() => void) | undefined = undefined
  #isStream = false

  constructor(
    upstream: Upstream,
    options: ExchangeOptions,
    resolve: (opened: Opened) => void,
    reject: (failure: ProviderError) => void,
  ) {
    this.upstream = upstream
    this.#options = options
    this.#limit = options.maxBytes
    this.#resolve = resolve
    this.#reject = reject
  }

  readonly onAbort = (): void => {
    this.end(abortedError(this.upstream, this.#options.signal, this.controller !== undefined))
    this.controller?.abort(stopped)
  }

  /** Ends the exchange, once. */
  end(failure?: ProviderError): void {
    if (this.ended) return
    this.ended = true
    this.failure = failure
    this.#options.signal.removeEventListener('abort', this.onAbort)
    if (this.#isStream) this.wake?.()
    else if (failure) this.#reject(failure)
    else if (!isCompressed(this.answer.headers)) this.#resolve(completed(this))
    else void this.#decompress(completed(this))
  }

  /** Of a refusal, the status is enough. */
  async #decompress(answer: Answer): Promise<void> {
    try {
      answer.body = await decompress(answer.body, answer.headers, this.#limit)
    } catch (error) {
      if (answer.status < 400) return this.#reject(this.#undecompressed(error))
      answer.body = emptyBody
    }
    this.#resolve(answer)
  }

  #undecompressed(error: unknown): ProviderError {
    const isLarge =
      error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    return isLarge
      ? tooLarge(this.upstream, { limit: this.#limit, answer: this.answer })
      : unreadable(this.upstream, this.answer)
  }

  onRequestStart(started: Dispatcher.DispatchController) {
    // A second start would be a silent retry; a request that was aborted first must stay unsent.
    if (this.ended || this.controller !== undefined) return started.abort(stopped)
    this.controller = started
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Answer['headers'],
  ) {
    if (status < 200) return
    const { answer } = this
    const { delivery, limits, model } = this.#options
    answer.status = status
    answer.headers = headers
    if (model !== undefined) limits?.read(model, headers)
    if (isHandedOn(delivery, answer)) {
      this.#isStream = true
      answer.chunks = isCompressed(headers) ? decompressedChunks(this) : chunksOf(this)
      return this.#resolve(answer)
    }
    if (status >= 400 || delivery !== 'whole') this.#limit = errorAnswerMaxBytes
    else if (Number(headers['content-length']) > this.#limit) this.#stopReading(controller)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer) {
    if (this.ended) return
    if (this.size + chunk.length > this.#limit) return this.#stopReading(controller)
    this.size += chunk.length
    this.waiting.push(chunk)
    if (!this.#isStream) return
    this.waitingBytes += chunk.length
    if (this.waitingBytes > windowBytes) controller.pause()
    this.wake?.()
  }

  onResponseEnd(): void {
    this.end()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const { status } = this.answer
    const sent = this.controller !== undefined
    // The status line of a refusal is all the caller needs; its body may break off.
    if (status >= 400) this.end()
    else this.end(transportError(this.upstream, { sent, status }, error))
  }

  #stopReading(controller: Dispatcher.DispatchController): void {
    if (this.ended) return
    const { answer } = this
    this.end(
      answer.status >= 400 ? undefined : tooLarge(this.upstream, { limit: this.#limit, answer }),
    )
    controller.abort(stopped)
  }
}

const isHandedOn = (delivery: ExchangeOptions['delivery'], answer: Answer): boolean =>
  answer.status === 200 &&
  (delivery === 'bytes' || (delivery === 'stream' && isEventStream(answer)))

function completed({ answer, waiting, size }: Exchange): Answer {
  answer.body = waiting.length === 1 ? (waiting[0] ?? emptyBody) : Buffer.concat(waiting, size)
  return answer
}

async function* decompressedChunks(state: Exchange): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* decompressed(chunksOf(state), state.answer.headers)
  } catch (error) {
    throw error instanceof ProviderError ? error : unreadable(state.upstream, state.answer)
  }
}

async function* chunksOf(state: Exchange): AsyncGenerator<Buffer, void, undefined> {
  try {
    for (;;) {
      const chunk = state.waiting.shift()
      if (chunk) {
        state.waitingBytes -= chunk.length
        if (state.controller?.paused && state.waitingBytes < windowBytes / 2)
          state.controller.resume()
        yield chunk
        continue
      }
      if (state.failure) throw state.failure
      if (state.ended) return
      await new Promise<void>((resolve) => {
        state.wake = resolve
      })
    }
  } finally {
    // If the reader stops early, the call ends.
    if (!state.ended) {
      state.end()
      state.controller?.abort(stopped)
    }
  }
}
