// The wire format of one provider: how to tell requests apart, and what each answer looks like.
import type { Job, JobState, Route } from './behaviour.ts'

export type Reply = {
  status: number
  headers?: Record<string, string>
  /** Bytes are sent as they are, anything else as JSON. */
  body: unknown
}

export type Asked = { route: Route; id?: string; kind?: 'IMAGE' | 'VIDEO'; model?: string }

export type Wire = {
  /** Follows the origin in the base URL of the adapter. */
  basePath: string
  keyOf(headers: Record<string, string | string[] | undefined>): string | undefined
  /** Routes that are open to anyone and must not be sent the key. */
  openRoutes: readonly Route[]
  classify(method: string, path: string, body: unknown): Asked | undefined
  refuse(status: number, message: string): unknown
  chat?(body: unknown): Reply
  call?(body: unknown, path: string): Reply
  /** The events of a call that asks for a stream; undefined if it does not. */
  stream?(body: unknown, path: string): string[] | undefined
  streamError?(message: string): string
  /** A provider that answers synchronously returns the result itself. */
  submit?(job: Job, origin: string): Reply
  poll?(job: Job, state: JobState, origin: string): Reply
  result?(job: Job, state: JobState, origin: string): Reply
  cancel?(job: Job, state: JobState): Reply
  list?(jobs: Job[], origin: string): Reply
  file?(job: Job): Reply
}

export const echo = (words: string): string => `You said: ${words}`

/** The tool call that a double makes if it was given tools, unless it already has a result. */
export const asks = (words: string, tools: unknown, name: (tool: unknown) => unknown) =>
  Array.isArray(tools) && tools.length > 0 && !words.startsWith('{"result"')
    ? { name: String(name(tools[0])), args: { words } }
    : undefined

export const dataEvent = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`

/** Three pieces, so that a reader has to put them together. */
export function inPieces(text: string): string[] {
  const third = Math.ceil(text.length / 3)
  return [text.slice(0, third), text.slice(third, 2 * third), text.slice(2 * third)]
}

export const at = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null
        ? (inner as Record<string | number, unknown>)[key]
        : undefined,
    value,
  )
