// What the APIs in another vendor's format have in common, whichever vendor that is.
import { Failure } from './errors.ts'
import type { StreamEvent, StreamText } from './generation.ts'
import type { Principal } from './principal.ts'

export type CompatCaller = {
  principal: Principal
  signal: AbortSignal
  /** Of the request, for errors that name it. */
  requestId: string
  /**
   * Counts what the request asks for beyond one thing against the caller's limits. If it is too
   * much, says so; `most` is what one request may ask for at all.
   */
  countMore(more: number): { failure: Failure; most: number } | null
  /** Reports what goes wrong after the first event of a stream; anything becomes a Failure. */
  toFailure(error: unknown): Failure
}

/**
 * `events`: lines of a text/event-stream. It fails only before its first. `bytes` that fail end the
 * connection, so that nobody takes what came for the whole.
 */
export type CompatAnswer =
  | { body: object }
  | { text: string; contentType: string }
  | { events: AsyncIterable<string> }
  | { bytes: AsyncIterable<Uint8Array>; contentType: string }

export type CompatCall = (body: unknown, caller: CompatCaller) => Promise<CompatAnswer>

/** A body of type multipart/form-data. */
export type FormFields = {
  values: Record<string, string>
  /** Fields whose name ends in `[]`, without it. */
  lists: Record<string, string[]>
  files: { name: string; bytes: Uint8Array; fileName: string; mimeType: string }[]
}

export type CompatFormCall = (form: FormFields, caller: CompatCaller) => Promise<CompatAnswer>

type Begin = Extract<StreamEvent, { type: 'begin' }>

/** How a vendor writes the events of an answer, the end of a whole one and of a broken one. */
export type EventForm<Event> = {
  write(event: StreamEvent): Event[]
  line(event: Event): string
  /** The line after the last event, where the vendor has one. */
  end?: string
  error(failure: Failure): Event
}

/**
 * Waits until a provider has accepted the call: until then a failure is thrown and gets its own
 * status. Later ones can only be an event of the stream.
 */
export async function streamAnswer<Event>(
  events: ReturnType<StreamText>,
  { toFailure }: CompatCaller,
  formOf: (begin: Begin) => EventForm<Event>,
): Promise<CompatAnswer> {
  const { done, value: first } = await events.next()
  if (done || first.type !== 'begin') throw new Failure('INTERNAL_ERROR')
  const { write, line, end, error } = formOf(first)
  async function* lines(begin: Begin): AsyncGenerator<string, void, undefined> {
    try {
      for (const one of write(begin)) yield line(one)
      for await (const event of events) for (const one of write(event)) yield line(one)
      if (end !== undefined) yield end
    } catch (thrown) {
      yield line(error(toFailure(thrown)))
    }
  }
  return { events: lines(first) }
}

export const namedEventLine = (event: { type: string }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

export const dataLine = (value: object): string => `data: ${JSON.stringify(value)}\n\n`
