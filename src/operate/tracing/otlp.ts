// Spans in the JSON of the OpenTelemetry protocol: identifiers in hexadecimal, 64-bit numbers as
// strings, enums as numbers. https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
import type { Attributes, AttributeValue, Span } from './span.ts'

const kinds: Record<Span['kind'], number> = { internal: 1, server: 2, client: 3 }
const errorStatus = 2
const sampledFlag = 1

export const encodeSpans = (
  spans: readonly Span[],
  resource: Attributes,
  scope: { name: string; version: string },
): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: encodeAttributes(resource) },
        scopeSpans: [{ scope, spans: spans.map(encodeSpan) }],
      },
    ],
  })

const encodeSpan = ({ context, parentSpanId, name, kind, error, links, ...span }: Span) => ({
  traceId: context.traceId,
  spanId: context.spanId,
  ...(parentSpanId === null ? {} : { parentSpanId }),
  flags: sampledFlag,
  name,
  kind: kinds[kind],
  startTimeUnixNano: toNanoseconds(span.startMs),
  endTimeUnixNano: toNanoseconds(span.endMs),
  attributes: encodeAttributes(span.attributes),
  ...(links === undefined || links.length === 0
    ? {}
    : { links: links.map(({ traceId, spanId }) => ({ traceId, spanId, flags: sampledFlag })) }),
  status: error === null ? {} : { code: errorStatus, message: error },
})

const toNanoseconds = (ms: number): string => String(BigInt(Math.round(ms * 1_000)) * 1_000n)

const encodeAttributes = (attributes: Attributes) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: encodeValue(value) }],
  )

function encodeValue(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value !== 'number') return { arrayValue: { values: value.map(encodeValue) } }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
