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
    const it: Exchange = {
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
        if (it.ended) return
        it.ended = true
        it.failure = failure
        signal.removeEventListener('abort', onAbort)
        if (it.isStream) it.wake()
        else if (failure) reject(failure)
        else resolve(completed(it))
      },
      open: resolve,
    }
    const onAbort = () => {
      it.end(abortedError(upstream, signal, it.controller !== undefined))
      it.controller?.abort(stopped)
    }
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort)
    dispatcher.dispatch(request, handlerOf(it))
  })
}

function handlerOf(it: Exchange): Dispatcher.DispatchHandler {
  const { answer } = it
  return {
    onRequestStart(started) {
      // A second start would be a silent retry; a request that was aborted first must stay unsent.
      if (it.ended || it.controller !== undefined) return started.abort(stopped)
      it.controller = started
    },
    onResponseStart(controller, status, headers) {
      if (status < 200) return
      answer.status = status
      answer.headers = headers
      if (isHandedOn(it.delivery, answer)) {
        it.isStream = true
        answer.chunks = chunksOf(it)
        return it.open(answer)
      }
      if (status >= 400 || it.delivery !== 'whole') it.limit = errorAnswerMaxBytes
      else if (Number(headers['content-length']) > it.limit) stopReading(it, controller)
    },
    onResponseData(controller, chunk) {
      if (it.ended) return
      if (it.size + chunk.length > it.limit) return stopReading(it, controller)
      it.size += chunk.length
      it.waiting.push(chunk)
      if (!it.isStream) return
      it.waitingBytes += chunk.length
      if (it.waitingBytes > windowBytes) controller.pause()
      it.wake()
    },
    onResponseEnd: () => it.end(),
    onResponseError(_, error) {
      const { status } = answer
      // The status line of a refusal is all the caller needs; its body may break off.
      if (status >= 400) it.end()
      else it.end(transportError(it.upstream, { sent: it.controller !== undefined, status }, error))
    },
  }
}

const isHandedOn = (delivery: ExchangeOptions['delivery'], answer: Answer): boolean =>
  answer.status === 200 &&
  (delivery === 'bytes' || (delivery === 'stream' && isEventStream(answer)))

function stopReading(it: Exchange, controller: Dispatcher.DispatchController): void {
  if (it.ended) return
  it.end(it.answer.status >= 400 ? undefined : tooLarge(it.upstream, it))
  controller.abort(stopped)
}

function completed({ answer, waiting, size }: Exchange): Answer {
  answer.body = waiting.length === 1 ? (waiting[0] ?? emptyBody) : Buffer.concat(waiting, size)
  return answer
}

async function* chunksOf(it: Exchange): AsyncGenerator<Buffer, void, undefined> {
  try {
    for (;;) {
      const chunk = it.waiting.shift()
      if (chunk) {
        it.waitingBytes -= chunk.length
        if (it.controller?.paused && it.waitingBytes < windowBytes / 2) it.controller.resume()
        yield chunk
        continue
      }
      if (it.failure) throw it.failure
      if (it.ended) return
      await new Promise<void>((resolve) => {
        it.wake = resolve
      })
    }
  } finally {
    // If the reader stops early, the call ends.
    if (!it.ended) {
      it.end()
      it.controller?.abort(stopped)
    }
  }
}
