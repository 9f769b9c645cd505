// Listens in on an adapter's connections: every answer as it came, next to what the adapter makes
// of it.
import { Agent, type Dispatcher } from 'undici'

export type Recorded = { status: number; headers: Record<string, unknown>; body: string }

export type Recording = { dispatcher: Dispatcher; answers: Recorded[] }

export function startRecording(): Recording {
  const answers: Recorded[] = []
  const listen: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    const answer: Recorded = { status: 0, headers: {}, body: '' }
    const decoder = new TextDecoder()
    return dispatch(options, {
      onRequestStart: (...given) => handler.onRequestStart?.(...given),
      onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
      onResponseStart(controller, status, headers, message) {
        answer.status = status
        answer.headers = { ...headers }
        if (status >= 200) answers.push(answer)
        handler.onResponseStart?.(controller, status, headers, message)
      },
      onResponseData(controller, chunk) {
        answer.body += decoder.decode(chunk, { stream: true })
        handler.onResponseData?.(controller, chunk)
      },
      onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
      onResponseError: (...given) => handler.onResponseError?.(...given),
    })
  }
  return { dispatcher: new Agent({ allowH2: false }).compose(listen), answers }
}
