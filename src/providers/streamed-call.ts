// One HTTP exchange whose answer is handed on while it comes. Promises to hold at most a small
// window of it: whoever reads slowly slows the provider down. Never retries.
import type { Dispatcher } from 'undici'
import type { StopSignal } from '#core/stop.ts'
import type { Answer, Upstream } from './http-call.ts'
import type { ProviderError } from './provider.ts'
import { abortedError, stopped, tooLarge, transportError } from './transport-errors.ts'

/** `chunks` only where the provider answered 200 with a stream of events; else a whole answer. */
export type Opened = { answer: Answer; chunks?: AsyncGenerator<Buffer, void, undefined> }

type Limits = { signal: StopSignal; maxBytes: number; maxErrorBytes: number }

const windowBytes = 64 * 1024

type Streaming = {
  readonly upstream: Upstream
  readonly answer: Answer
  limit: number
  size: number
  /** What came and is not read yet; of a whole answer, all of it. */
  waiting: Buffer[]
  waitingBytes: number
  /** Present once writing begins: from then on the request may have arrived. */
  controller: Dispatcher.DispatchController | undefined
  isStream: boolean
  ended: boolean
  failure: ProviderError | undefined
  /** Tells whoever waits that something changed. */
  wake(): void
}

export function streamExchange(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  upstream: Upstream,
  { signal, maxBytes, maxErrorBytes }: Limits,
): Promise<Opened> {
  const opening = Promise.withResolvers<Opened>()
  const it: Streaming = {
    upstream,
    answer: { status: 0, headers: {}, body: Buffer.alloc(0) },
    limit: maxBytes,
    size: 0,
    waiting: [],
    waitingBytes: 0,
    controller: undefined,
    isStream: false,
    ended: false,
    failure: undefined,
    wake: () => {},
  }
  const onAbort = () => {
    fail(abortedError(upstream, signal, it.controller !== undefined))
    it.controller?.abort(stopped)
  }
  const forget = () => signal.removeEventListener('abort', onAbort)
  const fail = (error: ProviderError) => {
    if (it.ended) return
    it.ended = true
    it.failure = error
    forget()
    opening.reject(error)
    it.wake()
  }
  const end = () => {
    if (it.ended) return
    it.ended = true
    forget()
    if (!it.isStream) {
      it.answer.body = Buffer.concat(it.waiting)
      opening.resolve({ answer: it.answer })
    }
    it.wake()
  }
  const open = () => opening.resolve({ answer: it.answer, chunks: chunksOf(it, forget) })
  if (signal.aborted) onAbort()
  else {
    signal.addEventListener('abort', onAbort)
    dispatcher.dispatch(options, handlerOf(it, { fail, end, open, maxErrorBytes }))
  }
  return opening.promise
}

type Steps = {
  fail(error: ProviderError): void
  end(): void
  open(): void
  maxErrorBytes: number
}

function handlerOf(it: Streaming, steps: Steps): Dispatcher.DispatchHandler {
  const { fail, end, open, maxErrorBytes } = steps
  return {
    onRequestStart(started) {
      // A second start would be a silent retry; an abort before the first must stay unsent.
      if (it.ended || it.controller !== undefined) return started.abort(stopped)
      it.controller = started
    },
    onResponseStart(_, status, headers) {
      if (status < 200) return
      it.answer.status = status
      it.answer.headers = headers
      it.isStream = status === 200 && /^text\/event-stream\b/i.test(String(headers['content-type']))
      if (it.isStream) open()
      else it.limit = maxErrorBytes
    },
    onResponseData(controller, chunk) {
      if (it.ended) return
      it.size += chunk.length
      if (it.size > it.limit) {
        // Of what is no stream, the status and the beginning say enough.
        if (it.isStream) fail(tooLarge(it.upstream, it))
        else end()
        return controller.abort(stopped)
      }
      it.waiting.push(chunk)
      it.waitingBytes += chunk.length
      if (!it.isStream) return
      if (it.waitingBytes > windowBytes) controller.pause()
      it.wake()
    },
    onResponseEnd: end,
    onResponseError(_, error) {
      const { status } = it.answer
      if (status !== 0 && !it.isStream) end()
      else fail(transportError(it.upstream, { sent: it.controller !== undefined, status }, error))
    },
  }
}

async function* chunksOf(
  it: Streaming,
  forget: () => void,
): AsyncGenerator<Buffer, void, undefined> {
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
    // Whoever stops reading ends the call.
    forget()
    if (!it.ended) {
      it.ended = true
      it.controller?.abort(stopped)
    }
  }
}
