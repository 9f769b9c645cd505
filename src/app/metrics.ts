import { createServer, type Server } from 'node:http'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { RequestObserver } from '#http/observe.ts'

export type Metrics = {
  registry: Registry
  finished: RequestObserver['finished']
  taskEnded(kind: string, status: string): void
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const duration = new Histogram({
    name: 'atelier_http_request_duration_seconds',
    help: 'Time from the arrival of a request until its answer is handed to the socket, by operation and status.',
    labelNames: ['operation', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120],
    registers: [registry],
  })
  const tasks = new Counter({
    name: 'atelier_tasks_ended_total',
    help: 'Generation tasks that ended in this process, by kind and status.',
    labelNames: ['kind', 'status'] as const,
    registers: [registry],
  })
  // Looking a label set up by its values costs more than the observation itself.
  const children = new Map<string, ReturnType<typeof duration.labels>>()
  return {
    registry,
    finished(operation, status, elapsedMs) {
      const key = `${operation} ${status}`
      let child = children.get(key)
      if (!child) {
        child = duration.labels({ operation, status: String(status) })
        children.set(key, child)
      }
      child.observe(elapsedMs / 1000)
    },
    taskEnded: (kind, status) => tasks.inc({ kind, status }),
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
