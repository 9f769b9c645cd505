import { createServer, type Server } from 'node:http'
import { Counter, collectDefaultMetrics, type Metric, Registry } from 'prom-client'
import type { Metrics } from './metrics.ts'

/** Counted from the start and served at `listen`, an address of its own. */
export async function openPrometheus(listen: Address): Promise<Metrics> {
  const registry = new Registry()
  const observed = observe(registry)
  const server = await serve(registry, listen)
  return { ...observed, close: async () => void server.close() }
}

type Address = { host: string; port: number }

function observe(registry: Registry): Omit<Metrics, 'close'> {
  collectDefaultMetrics({ register: registry })
  const requests = createDurations({
    name: 'atelier_http_request_duration_seconds',
    help: 'Time from the arrival of a request until its answer is handed to the socket, by operation and status.',
    labels: ['operation', 'status'],
    bounds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120],
  })
  const runs = createDurations({
    name: 'atelier_run_duration_seconds',
    help: 'Time from the acceptance of a run until this process ended it, by status.',
    labels: ['status'],
    bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600],
  })
  registry.registerMetric(requests.metric)
  registry.registerMetric(runs.metric)
  const tasks = new Counter({
    name: 'atelier_tasks_ended_total',
    help: 'Generation tasks that ended in this process, by kind and status.',
    labelNames: ['kind', 'status'] as const,
    registers: [registry],
  })
  const webhooks = new Counter({
    name: 'atelier_webhook_attempts_total',
    help: 'Attempts of this process to deliver a webhook, by result.',
    labelNames: ['result'] as const,
    registers: [registry],
  })
  const quarantined = new Counter({
    name: 'atelier_quarantined_total',
    help: 'Work this process ended because no worker could go on with it, by kind.',
    labelNames: ['kind'] as const,
    registers: [registry],
  })
  return {
    finished: (operation, status, elapsedMs) => requests.observe(elapsedMs, operation, status),
    taskEnded: (kind, status) => tasks.inc({ kind, status }),
    runEnded: (status, elapsedMs) => runs.observe(elapsedMs, status),
    webhookTried: (result) => webhooks.inc({ result }),
    quarantined: (kind) => quarantined.inc({ kind }),
  }
}

type Label = string | number
type Series = { values: readonly Label[]; counts: number[]; sum: number; total: number }

/** A minimal histogram. The library's own costs more per request than a credential check. */
function createDurations(options: {
  name: string
  help: string
  labels: readonly [string] | readonly [string, string]
  bounds: readonly number[]
}) {
  const { name, help, labels, bounds } = options
  // Nested maps, so that an observation need not concatenate its labels into a key.
  const series = new Map<Label, Map<Label | undefined, Series>>()

  function seriesOf(first: Label, second: Label | undefined): Series {
    const bySecond = series.get(first) ?? new Map<Label | undefined, Series>()
    series.set(first, bySecond)
    const known = bySecond.get(second)
    if (known) return known
    const values = second === undefined ? [first] : [first, second]
    const fresh = { values, counts: bounds.map(() => 0), sum: 0, total: 0 }
    bySecond.set(second, fresh)
    return fresh
  }

  const get = async () => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum' as const,
    values: [...series.values()].flatMap((bySecond) => [...bySecond.values()]).flatMap(toValues),
  })

  function toValues({ values, counts, sum, total }: Series) {
    const own = Object.fromEntries(labels.map((label, i) => [label, String(values[i])]))
    let below = 0
    const buckets = bounds.map((bound, i) => {
      below += counts[i] ?? 0
      return { labels: { ...own, le: String(bound) }, value: below, metricName: `${name}_bucket` }
    })
    return [
      ...buckets,
      { labels: { ...own, le: '+Inf' }, value: total, metricName: `${name}_bucket` },
      { labels: own, value: sum, metricName: `${name}_sum` },
      { labels: own, value: total, metricName: `${name}_count` },
    ]
  }

  return {
    // The registry uses only these members of a metric.
    metric: { name, get, reset: () => series.clear() } as unknown as Metric,
    observe(elapsedMs: number, first: Label, second?: Label) {
      const one = seriesOf(first, second)
      const seconds = elapsedMs / 1000
      const index = bounds.findIndex((bound) => seconds <= bound)
      if (index !== -1) one.counts[index] = (one.counts[index] ?? 0) + 1
      one.sum += seconds
      one.total += 1
    },
  }
}

/** Listens on a separate address, so that a proxy in front of the API never exposes it. */
function serve(registry: Registry, { host, port }: Address): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve(server))
  })
}
