// What the APIs in other vendors' formats have in common.
import type { Catalogue, Model } from '#core/catalogue.ts'
import { Failure } from '#core/errors.ts'
import type { StreamEvent, StreamText } from '#core/generation.ts'
import type { Principal } from '#core/principal.ts'
import type { RouteAttempt } from '#core/route.ts'
import { withRoutes } from '#core/routed-catalogue.ts'
import type { StopSignal } from '#core/stop.ts'
import type { FormFields } from '#http/form-body.ts'

export type CompatCaller = {
  principal: Principal
  signal: StopSignal
  /** Included in errors whose format names the request. */
  requestId: string
  /**
   * Counts the items that the request asks for beyond the first against the caller's limits.
   * Returns null if it is admitted; `most` is the largest number that one request may ask for.
   */
  countMore(more: number): { failure: Failure; most: number } | null
  /** Turns an error after the first event of a stream into a Failure, and reports server errors. */
  toFailure(error: unknown): Failure
}

/**
 * `events`: lines of a text/event-stream, which can fail only before the first one. If `bytes`
 * fails, the connection is closed, so that nobody mistakes the part received for the whole.
 */
export type CompatAnswer = {
  /** What the caller should know of how the request was read, in a header. */
  notes?: readonly string[]
  /** Of a call over a route: the models it was offered to, in a header. */
  attempts?: readonly RouteAttempt[] | undefined
} & (
  | { body: object }
  | { text: string; contentType: string }
  | { events: AsyncIterable<string> }
  | { bytes: AsyncIterable<Uint8Array>; contentType: string }
)

/** The models of the server, and the routes of the caller's account. */
export const modelsFor = (
  catalogue: Catalogue,
  { principal }: Pick<CompatCaller, 'principal'>,
): Catalogue => withRoutes(catalogue, principal.routes)

/** Throws if there is no such model, or if the API does not offer it. */
export function offeredModel(
  { find }: Catalogue,
  id: string,
  isOffered: (model: Model) => boolean,
): Model {
  const model = find(id)?.model
  if (model && isOffered(model)) return model
  throw new Failure('MODEL_NOT_FOUND', { details: { param: 'model' } })
}

export type CompatCall = (body: unknown, caller: CompatCaller) => Promise<CompatAnswer>

export type CompatFormCall = (form: FormFields, caller: CompatCaller) => Promise<CompatAnswer>

type Begin = Extract<StreamEvent, { type: 'begin' }>

/** How a vendor writes the events of a stream, its regular end and an error. */
export type EventForm<Event> = {
  write(event: StreamEvent): Event[]
  /** Awaited before the last events are sent. */
  settle?(last: Event[]): Promise<void>
  line(event: Event): string
  /** The line after the last event, if the vendor's format has one. */
  end?: string
  error(failure: Failure): Event[]
}

/**
 * Waits until a provider has accepted the call. A failure before that is thrown and gets its own
 * status; a later one can only be sent as an event of the stream.
 */
export async function streamAnswer<Event>(
  events: ReturnType<StreamText>,
  { toFailure }: CompatCaller,
  formOf: (begin: Begin) => EventForm<Event>,
): Promise<CompatAnswer> {
  const { done, value: first } = await events.next()
  if (done || first.type !== 'begin') throw new Failure('INTERNAL_ERROR')
  const { write, settle, line, end, error } = formOf(first)
  async function* lines(begin: Begin): AsyncGenerator<string, void, undefined> {
    try {
      for (const one of write(begin)) yield line(one)
      for await (const event of events) {
        const written = write(event)
        if (settle && event.type === 'end') await settle(written)
        for (const one of written) yield line(one)
      }
      if (end !== undefined) yield end
    } catch (thrown) {
      for (const one of error(toFailure(thrown))) yield line(one)
    }
  }
  return { events: lines(first), attempts: first.attempts }
}

export const namedEventLine = (event: { type: string }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

export const dataLine = (value: object): string => `data: ${JSON.stringify(value)}\n\n`
