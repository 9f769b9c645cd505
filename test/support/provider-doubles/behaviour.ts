// What a double can be told to do, and what it records. Shared by the double itself, its HTTP
// control and the tests that use either of them.

/** `call` is any other request that is answered at once, such as an embedding. */
export type Route = 'chat' | 'call' | 'submit' | 'poll' | 'result' | 'cancel' | 'list' | 'file'

export type Behaviour =
  /** As the provider would. */
  | { do: 'answer' }
  /** Accepts the request (a job now exists), then waits for `release`, if need be for ever. */
  | { do: 'hold' }
  /** Answers with an error in the provider's own format. Nothing is accepted. */
  | { do: 'refuse'; status: number; message?: string; headers?: Record<string, string> }
  /** Answers with exactly these bytes, or this JSON. Nothing is accepted. */
  | { do: 'say'; status: number; body: unknown; headers?: Record<string, string> }
  | { do: 'cut'; when: 'before-reading' | 'before-accepting' | 'after-accepting' | 'mid-answer' }
  /** Accepts, then answers with something that the provider would never send. */
  | { do: 'babble'; as: 'html' | 'broken-json' | 'empty' | 'wrong-shape' }
  /**
   * For a streamed chat: sends the first events of the answer, then something else. `hold` waits
   * for `release` and continues; `end` ends the stream silently; `error` sends the provider's own
   * error event.
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
  /** The states that successive polls return; the last one is repeated. */
  plan: JobState[]
  polls: number
  cancels: number
  /** Whether the submission asked to wait some seconds for the result. */
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
  /** Jobs and calls that the provider accepted and would bill. */
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
