// One wire format of the scripted model: how a request is read, and how a step is written.
import type { Seen, Step } from './script.ts'

export type Wire = {
  /** Undefined if the request is not of this format. */
  read(path: string, body: Body): Seen | undefined
  whole(step: Step, body: Body): object
  /** Every event of the stream. The pieces of the text are sent with pauses between them. */
  events(step: Step, body: Body): Iterable<string>
}

// A double reads what others send without checking it: a wrong shape fails its test.
// biome-ignore lint/suspicious/noExplicitAny: the border between a socket and the script
export type Body = any

export const usage = { input: 1200, output: 40 }

export const piecesOf = (text: string): string[] => text.match(/.{1,5}\s*/gs) ?? []

export const dataEvent = (data: object): string => `data: ${JSON.stringify(data)}\n\n`

export const namedEvent = (data: { type: string; [field: string]: unknown }): string =>
  `event: ${data.type}\n${dataEvent(data)}`

export const list = (value: unknown): Body[] => (Array.isArray(value) ? value : [])

let made = 0
export const newId = (prefix: string): string => `${prefix}_scripted${++made}`
