// Sends spans to a collector in batches. Never makes anybody wait, and its queue is bounded: spans
// that do not fit, or that the collector refuses, are dropped and counted.
import { coalesce } from '#core/coalesce.ts'
import { encodeSpans } from './otlp.ts'
import type { Attributes, Span } from './span.ts'

/** The default limits and interval of OpenTelemetry's own batch processor. */
const maxQueued = 2_048
const maxBatch = 512
const everyMs = 5_000
const timeoutMs = 10_000

export type ExporterOptions = {
  /** Where spans are sent, such as http://collector:4318/v1/traces. */
  url: string
  headers: Readonly<Record<string, string>>
  resource: Attributes
  scope: { name: string; version: string }
  onDropped(count: number): void
  /** The collector does not accept spans. Called once, until it accepts some again. */
  onUnavailable(error: unknown): void
  onRecovered(): void
  fetch?: typeof fetch
}

export type SpanExporter = {
  add(span: Span): void
  /** Tries once to send what is queued. */
  close(): Promise<void>
}

export function openSpanExporter(options: ExporterOptions): SpanExporter {
  let queue: Span[] = []
  let isUnavailable = false

  /** Throws if sending the same spans again may succeed. */
  async function send(spans: readonly Span[]): Promise<'accepted' | 'refused'> {
    const { url, headers, resource, scope } = options
    const answer = await (options.fetch ?? fetch)(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: encodeSpans(spans, resource, scope),
      signal: AbortSignal.timeout(timeoutMs),
      // A redirect could carry the headers, which may hold a key, to another host.
      redirect: 'error',
    })
    await answer.body?.cancel()
    if (answer.ok) return 'accepted'
    const failure = new Error(`the collector answered ${answer.status}`)
    // With any other status, the spans themselves are wrong and would be refused again.
    if (answer.status === 429 || answer.status >= 500) throw failure
    reportUnavailable(failure)
    return 'refused'
  }

  function reportUnavailable(error: unknown) {
    if (!isUnavailable) options.onUnavailable(error)
    isUnavailable = true
  }

  const sends = coalesce(
    async () => {
      while (queue.length > 0) {
        const batch = queue.slice(0, maxBatch)
        const outcome = await send(batch)
        queue = queue.slice(batch.length)
        if (outcome === 'refused') options.onDropped(batch.length)
        else if (isUnavailable) {
          isUnavailable = false
          options.onRecovered()
        }
      }
    },
    { afterMs: everyMs, retryMs: everyMs, onError: reportUnavailable },
  )

  return {
    add(span) {
      if (queue.length >= maxQueued) return options.onDropped(1)
      queue.push(span)
      if (queue.length === maxBatch) sends.run().catch(reportUnavailable)
      else sends.schedule()
    },
    async close() {
      await sends.run().catch(reportUnavailable)
      await sends.stop()
      if (queue.length > 0) options.onDropped(queue.length)
    },
  }
}
