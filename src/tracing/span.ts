// Spans as OpenTelemetry defines them. A span is made when what it describes has ended, from its
// end and its duration: nothing is kept while it lasts but its context.
import { createHash, randomBytes } from 'node:crypto'

/** What others need to know of a span to be its children. */
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
  /** Why it failed; null where it did not. */
  error: string | null
  links?: readonly Pick<SpanContext, 'traceId' | 'spanId'>[]
}

export const newSpanId = (): string => randomBytes(8).toString('hex')
export const newTraceId = (): string => randomBytes(16).toString('hex')

/**
 * The same for the same words in every process: whoever ends a run and whoever executes one of its
 * steps name the same parent without having told each other.
 */
export const spanIdOf = (...words: readonly string[]): string =>
  createHash('sha256').update(words.join('\0')).digest('hex').slice(0, 16)

/** The trace of a run or task is named like it, so that either is found by the other. */
export const traceIdOf = (uuid: string): string => uuid.replaceAll('-', '')

/** Decided by the trace alone, so that all processes decide alike. */
export function isInSample(traceId: string, ratio: number): boolean {
  if (ratio >= 1) return true
  // The identifiers of runs begin with the time, so that their digits are spread first.
  const spread = createHash('sha256').update(traceId).digest().readUInt32BE(0)
  return spread < ratio * 2 ** 32
}

const traceparent = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/** https://www.w3.org/TR/trace-context/ : what is not valid counts for nothing. */
export function readTraceparent(header: string | undefined): SpanContext | null {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.exec(header ?? '') ?? []
  const isValid = /[^0]/.test(traceId) && /[^0]/.test(spanId) && !header?.startsWith('ff')
  return isValid ? { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 } : null
}
