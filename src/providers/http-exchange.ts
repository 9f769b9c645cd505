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
import type { ProviderError } from './provider.ts'
import { abortedError, stopped, tooLarge, transportError } from './transport-errors.ts'
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
}

/** Of an error answer, or one that should have been a stream, only the beginning is read. */
const errorAnswerMaxBytes = 64 * 1024
/** If the reader falls this far behind, receiving is paused. */
const windowBytes = 64 * 1024
const emptyBody = Buffer.alloc(0)

type Exchange = {
  readonly upstream: Upstream
  readonly delivery: ExchangeOptions['delivery']
  readonly answer: Opened
  limit: number
  size: number
  /** Received but not read yet; for a whole answer, all of it. */
  waiting: Buffer[]
  waitingBytes: number
  /** Present once writing begins: from then on the request may have arrived. */
  controller: Dispatcher.DispatchController | undefined
  isStream: boolean
  ended: boolean
  failure: ProviderError | undefined
  /** Wakes the reader of a stream. */
  wake(): void
  /** Ends the exchange, once. */
  end(failure?: ProviderError): void
  open(opened: Opened): void
}

/** Uses `dispatch` rather than `request`, because only `dispatch` reports when writing begins. */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  upstream: Upstream,
  { signal, delivery, maxBytes }: ExchangeOptions,
): Promise<Opened> {
  return new Promise((resolve, reject) => {
    const state: Exchange = {
      upstream,
      delivery,
      answer: { status: 0, headers: {}, body: emptyBody },
      limit: maxBytes,
      size: 0,
      waiting: [],
      waitingBytes: 0,
      controller: undefined,
      isStream: false,
      ended: false,
      failure: undefined,
      wake: () => {},
      end(failure) {
        if (state.ended) return
        state.ended = true
        state.failure = failure
        signal.removeEventListener('abort', onAbort)
        if (state.isStream) state.wake()
        else if (failure) reject(failure)
        else resolve(completed(state))
      },
      open: resolve,
    }
    const onAbort = () => {
      state.end(abortedError(upstream, signal, state.controller !== undefined))
      state.controller?.abort(stopped)
    }
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort)
    dispatcher.dispatch(request, handlerOf(state))
  })
}

function handlerOf(state: Exchange): Dispatcher.DispatchHandler {
  const { answer } = state
  return {
    onRequestStart(started) {
      // A second start would be a silent retry; a request that was aborted first must stay unsent.
      if (state.ended || state.controller !== undefined) return started.abort(stopped)
      state.controller = started
    },
    onResponseStart(controller, status, headers) {
      if (status < 200) return
      answer.status = status
      answer.headers = headers
      if (isHandedOn(state.delivery, answer)) {
        state.isStream = true
        answer.chunks = chunksOf(state)
        return state.open(answer)
      }
      if (status >= 400 || state.delivery !== 'whole') state.limit = errorAnswerMaxBytes
      else if (Number(headers['content-length']) > state.limit) stopReading(state, controller)
    },
    onResponseData(controller, chunk) {
      if (state.ended) return
      if (state.size + chunk.length > state.limit) return stopReading(state, controller)
      state.size += chunk.length
      state.waiting.push(chunk)
      if (!state.isStream) return
      state.waitingBytes += chunk.length
      if (state.waitingBytes > windowBytes) controller.pause()
      state.wake()
    },
    onResponseEnd: () => state.end(),
    onResponseError(_, error) {
      const { status } = answer
      const sent = state.controller !== undefined
      // The status line of a refusal is all the caller needs; its body may break off.
      if (status >= 400) state.end()
      else state.end(transportError(state.upstream, { sent, status }, error))
    },
  }
}

const isHandedOn = (delivery: ExchangeOptions['delivery'], answer: Answer): boolean =>
  answer.status === 200 &&
  (delivery === 'bytes' || (delivery === 'stream' && isEventStream(answer)))

function stopReading(state: Exchange, controller: Dispatcher.DispatchController): void {
  if (state.ended) return
  state.end(state.answer.status >= 400 ? undefined : tooLarge(state.upstream, state))
  controller.abort(stopped)
}

function completed({ answer, waiting, size }: Exchange): Answer {
  answer.body = waiting.length === 1 ? (waiting[0] ?? emptyBody) : Buffer.concat(waiting, size)
  return answer
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
