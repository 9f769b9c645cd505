// Sends spans to a collector, some at a time. Promises never to make anybody wait and never to grow:
// what does not fit into the queue is dropped and counted, and so is what a collector does not take.
import { coalesce } from '#core/coalesce.ts'
import { encodeSpans } from './otlp.ts'
import type { Attributes, Span } from './span.ts'

/** As many as OpenTelemetry's own batch processor keeps and sends, and as often. */
const maxQueued = 2_048
const maxBatch = 512
const everyMs = 5_000
const timeoutMs = 10_000

export type ExporterOptions = {
  /** The address that takes spans, such as http://collector:4318/v1/traces. */
  url: string
  headers: Readonly<Record<string, string>>
  resource: Attributes
  scope: { name: string; version: string }
  onDropped(count: number): void
  /** The collector does not take spans; called once until it does again. */
  onAway(error: unknown): void
  onBack(): void
  fetch?: typeof fetch
}

export type SpanExporter = {
  add(span: Span): void
  /** Sends what is queued, once. */
  close(): Promise<void>
}

export function openSpanExporter(options: ExporterOptions): SpanExporter {
  let queue: Span[] = []
  let isAway = false

  /** Whether the collector took them. */
  async function send(spans: readonly Span[]): Promise<'taken' | 'refused'> {
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
    if (answer.ok) return 'taken'
    const failure = new Error(`the collector answered ${answer.status}`)
    // Anything else says that these spans are wrong, and would be wrong again.
    if (answer.status === 429 || answer.status >= 500) throw failure
    away(failure)
    return 'refused'
  }

  function away(error: unknown) {
    if (!isAway) options.onAway(error)
    isAway = true
  }

  const sends = coalesce(
    async () => {
      while (queue.length > 0) {
        const batch = queue.slice(0, maxBatch)
        const outcome = await send(batch)
        queue = queue.slice(batch.length)
        if (outcome === 'refused') options.onDropped(batch.length)
        else if (isAway) {
          isAway = false
          options.onBack()
        }
      }
    },
    { afterMs: everyMs, retryMs: everyMs, onError: away },
  )

  return {
    add(span) {
      if (queue.length >= maxQueued) return options.onDropped(1)
      queue.push(span)
      if (queue.length === maxBatch) sends.run().catch(away)
      else sends.schedule()
    },
    async close() {
      await sends.run().catch(away)
      await sends.stop()
      if (queue.length > 0) options.onDropped(queue.length)
    },
  }
}
