// What a double can be told to do, and what it writes down. Shared by the double itself, its
// HTTP control and the tests on either side of it.

/** `call`: anything else that is answered at once, such as an embedding. */
export type Route = 'chat' | 'call' | 'submit' | 'poll' | 'result' | 'cancel' | 'list' | 'file'

export type Behaviour =
  /** As the provider would. */
  | { do: 'answer' }
  /** Takes the request (a job now exists), then waits for `release`; without one, for ever. */
  | { do: 'hold' }
  /** The provider's own error form. Nothing is accepted. */
  | { do: 'refuse'; status: number; message?: string; headers?: Record<string, string> }
  /** These very bytes, or this JSON. Nothing is accepted. */
  | { do: 'say'; status: number; body: unknown; headers?: Record<string, string> }
  | { do: 'cut'; when: 'before-reading' | 'before-accepting' | 'after-accepting' | 'mid-answer' }
  /** Accepts, then answers 200 with something the provider would not say. */
  | { do: 'babble'; as: 'html' | 'broken-json' | 'empty' | 'wrong-shape' }
  /**
   * Of a streamed chat: the first events of its answer, then something else. `hold` waits for
   * `release` and goes on; `end` ends without a word; `error` is the provider's own error event.
   */
  | { do: 'break'; after: number; by: 'hold' | 'cut' | 'end' | 'junk' | 'error' | 'flood' }
  /** Accepts, then answers 200 with this many bytes of JSON. */
  | { do: 'flood'; bytes: number }

export type JobState = 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled' | 'content'

export type Job = {
  id: string
  kind: 'IMAGE' | 'VIDEO'
  /** What was submitted. */
  body: unknown
  model: string
  /** The state each poll shows in turn; the last one stays. */
  plan: JobState[]
  polls: number
  cancels: number
  /** Whoever submitted it waits for the answer until it is done, for some seconds. */
  isAwaited: boolean
  createdAt: string
}

export type Recorded = {
  route: Route | 'unknown'
  method: string
  path: string
  headers: Record<string, string | string[] | undefined>
  body: unknown
}

export type Counts = Record<Route, number> & {
  /** Jobs and chats the provider took on, and would bill. */
  accepted: number
  /** Requests without the right key. */
  unauthorized: number
  /** Requests for a public file that carried the key. */
  keysLeaked: number
  unknown: number
}

export const noCounts = (): Counts => ({
  chat: 0,
  call: 0,
  submit: 0,
  poll: 0,
  result: 0,
  cancel: 0,
  list: 0,
  file: 0,
  accepted: 0,
  unauthorized: 0,
  keysLeaked: 0,
  unknown: 0,
})
