// Spans as OpenTelemetry defines them. A span is created when the work that it describes has ended;
// until then, nothing but its context is kept.
import { createHash, randomBytes } from 'node:crypto'

/** What other spans need to know about a span to become its children. */
export type SpanContext = {
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string
  readonly spanId: string
  readonly isSampled: boolean
}

export type AttributeValue = string | number | boolean | readonly string[]
/** An attribute without a value is left out. */
export type Attributes = Readonly<Record<string, AttributeValue | null | undefined>>

export type Span = {
  context: SpanContext
  parentSpanId: string | null
  name: string
  kind: 'internal' | 'server' | 'client'
  startMs: number
  endMs: number
  attributes: Attributes
  /** Why the work failed; null if it did not. */
  error: string | null
  links?: readonly Pick<SpanContext, 'traceId' | 'spanId'>[]
}

export const newSpanId = (): string => randomBytes(8).toString('hex')
export const newTraceId = (): string => randomBytes(16).toString('hex')

/**
 * The same words give the same identifier in every process. The process that ends a run and the one
 * that executes a step of it thus name the same parent without communicating.
 */
export const spanIdOf = (...words: readonly string[]): string =>
  createHash('sha256').update(words.join('\0')).digest('hex').slice(0, 16)

/** The trace of a run or task has the same identifier, so that each can be found by the other. */
export const traceIdOf = (uuid: string): string => uuid.replaceAll('-', '')

/** Depends on the trace alone, so that all processes decide alike. */
export function isInSample(traceId: string, ratio: number): boolean {
  if (ratio >= 1) return true
  // Identifiers of runs begin with the time, so they are hashed to be spread evenly.
  const spread = createHash('sha256').update(traceId).digest().readUInt32BE(0)
  return spread < ratio * 2 ** 32
}

const traceparent = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/** Null if the header is not valid (https://www.w3.org/TR/trace-context/). */
export function readTraceparent(header: string | undefined): SpanContext | null {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.exec(header ?? '') ?? []
  const isValid = /[^0]/.test(traceId) && /[^0]/.test(spanId) && !header?.startsWith('ff')
  return isValid ? { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 } : null
}
