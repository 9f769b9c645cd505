import { createServer, type Server } from 'node:http'
import { Counter, collectDefaultMetrics, type Metric, Registry } from 'prom-client'
import type { RequestObserver } from '#http/observe.ts'

export type Metrics = {
  registry: Registry
  finished: RequestObserver['finished']
  taskEnded(kind: string, status: string): void
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = createDurations({
    name: 'atelier_http_request_duration_seconds',
    help: 'Time from the arrival of a request until its answer is handed to the socket, by operation and status.',
  })
  registry.registerMetric(requests.metric)
  const tasks = new Counter({
    name: 'atelier_tasks_ended_total',
    help: 'Generation tasks that ended in this process, by kind and status.',
    labelNames: ['kind', 'status'] as const,
    registers: [registry],
  })
  return {
    registry,
    finished: requests.observe,
    taskEnded: (kind, status) => tasks.inc({ kind, status }),
  }
}

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120]

type Series = { operation: string; status: number; counts: number[]; sum: number; total: number }

/** A histogram that only counts: the library's own costs more per request than a credential check. */
function createDurations({ name, help }: { name: string; help: string }) {
  const series = new Map<string, Map<number, Series>>()

  function seriesOf(operation: string, status: number): Series {
    const byStatus = series.get(operation) ?? new Map<number, Series>()
    series.set(operation, byStatus)
    const known = byStatus.get(status)
    if (known) return known
    const fresh = { operation, status, counts: bounds.map(() => 0), sum: 0, total: 0 }
    byStatus.set(status, fresh)
    return fresh
  }

  const get = async () => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum' as const,
    values: [...series.values()].flatMap((byStatus) => [...byStatus.values()]).flatMap(toValues),
  })

  function toValues({ operation, status, counts, sum, total }: Series) {
    const labels = { operation, status: String(status) }
    let below = 0
    const buckets = bounds.map((bound, i) => {
      below += counts[i] ?? 0
      return {
        labels: { ...labels, le: String(bound) },
        value: below,
        metricName: `${name}_bucket`,
      }
    })
    return [
      ...buckets,
      { labels: { ...labels, le: '+Inf' }, value: total, metricName: `${name}_bucket` },
      { labels, value: sum, metricName: `${name}_sum` },
      { labels, value: total, metricName: `${name}_count` },
    ]
  }

  return {
    // The registry asks a metric for nothing but its name and values.
    metric: { name, get, reset: () => series.clear() } as unknown as Metric,
    observe(operation: string, status: number, elapsedMs: number) {
      const one = seriesOf(operation, status)
      const seconds = elapsedMs / 1000
      const index = bounds.findIndex((bound) => seconds <= bound)
      if (index !== -1) one.counts[index] = (one.counts[index] ?? 0) + 1
      one.sum += seconds
      one.total += 1
    },
  }
}

/** On its own address, so that a proxy in front of the API never shows it. */
export function serveMetrics(
  metrics: Metrics,
  listen: { host: string; port: number },
): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    metrics.registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(listen.port, listen.host, () => resolve(server))
  })
}
