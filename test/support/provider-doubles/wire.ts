// How one provider talks: which request is which, and what each answer looks like.
import type { Job, JobState, Route } from './behaviour.ts'

export type Reply = {
  status: number
  headers?: Record<string, string>
  /** Bytes as they are; anything else as JSON. */
  body: unknown
}

export type Asked = { route: Route; id?: string; kind?: 'IMAGE' | 'VIDEO'; model?: string }

export type Wire = {
  /** Follows the origin in the base address given to the adapter. */
  basePath: string
  keyOf(headers: Record<string, string | string[] | undefined>): string | undefined
  /** Routes that are open to anyone, and should not be sent the key. */
  openRoutes: readonly Route[]
  classify(method: string, path: string, body: unknown): Asked | undefined
  refuse(status: number, message: string): unknown
  chat?(body: unknown): Reply
  /** `result`: a synchronous answer is the result itself. */
  submit?(job: Job, origin: string): Reply
  poll?(job: Job, state: JobState, origin: string): Reply
  result?(job: Job, state: JobState, origin: string): Reply
  cancel?(job: Job, state: JobState): Reply
  list?(jobs: Job[], origin: string): Reply
  file?(job: Job): Reply
}

export const echo = (words: string): string => `You said: ${words}`

export const at = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null
        ? (inner as Record<string | number, unknown>)[key]
        : undefined,
    value,
  )
