import { Gauge, type Registry } from 'prom-client'
import { coalesce } from '#core/coalesce.ts'
import {
  countRetryingDeliveries,
  type QueueGauge,
  readLeases,
  readQueueGauges,
  readSleepers,
} from '#store/tables/work-gauges.ts'
import { answersWithin } from '../readiness.ts'
import type { MetricSources } from './metrics.ts'

/** How long a scrape waits for the database; Prometheus itself waits ten seconds by default. */
const scrapeMs = 3_000

type NewGauge = (name: string, help: string) => Gauge

/** Work that waits for a time. */
function watchTimers(gauge: NewGauge, db: MetricSources['db']): () => Promise<void> {
  const retrying = gauge(
    'atelier_webhooks_retrying',
    'Webhooks that failed and wait for their next attempt; counted up to 10,000.',
  )
  const sleepers = gauge(
    'atelier_runs_asleep',
    'Runs that sleep until a time or an answer; counted up to 10,000.',
  )
  const late = gauge(
    'atelier_runs_wake_late_seconds',
    'For how long the longest overdue sleeping run has been due.',
  )
  return async () => {
    retrying.set(await countRetryingDeliveries(db))
    const { asleep, lateMs } = await readSleepers(db)
    sleepers.set(asleep)
    late.set(lateMs / 1000)
  }
}

/**
 * Gauges of the work of all processes: what is waiting, and who works on it. Every process reports
 * the same values, so a dashboard must take their maximum, not their sum. The returned function
 * updates them. Only the gauges about the database are of this process alone.
 */
export function watchWork(registry: Registry, { db, nowMs }: MetricSources): () => Promise<void> {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] })
  const waiting = gauge(
    'atelier_queue_waiting',
    'Work that waits, by kind; counted up to 10,000.',
    ['kind'],
  )
  const running = gauge('atelier_queue_running', 'Work in the hands of workers, by kind.', ['kind'])
  const age = gauge(
    'atelier_queue_oldest_seconds',
    'For how long the oldest work that could begin has been waiting, by kind.',
    ['kind'],
  )
  const lookAtTimers = watchTimers(gauge, db)
  const workers = gauge('atelier_workers', 'Worker processes with a lease.')
  const lease = gauge(
    'atelier_lease_left_seconds',
    'The shortest time until the lease of a worker ends; negative: its work is about to be taken over.',
  )

  const connections = gauge(
    'atelier_database_connections',
    'Connections of this process to PostgreSQL: in use, and callers that wait for one.',
    ['state'],
  )
  function showConnections() {
    const load = db.load?.()
    if (!load) return
    connections.set({ state: 'in_use' }, load.inUse)
    connections.set({ state: 'waited_for' }, load.waiting)
  }

  function show(queues: readonly QueueGauge[], atMs: number) {
    for (const { kind, waiting: count, running: owned, oldestAtMs } of queues) {
      waiting.set({ kind }, count)
      running.set({ kind }, owned)
      age.set({ kind }, oldestAtMs === null ? 0 : Math.max(0, atMs - oldestAtMs) / 1000)
    }
  }
  async function look() {
    const atMs = nowMs()
    const [queues, leases] = await Promise.all([
      readQueueGauges(db, atMs),
      readLeases(db),
      lookAtTimers(),
    ])
    show(queues, atMs)
    workers.set(leases.length)
    lease.set(leases.length > 0 ? Math.min(...leases.map(({ left_ms }) => left_ms)) / 1000 : 0)
  }
  const isUp = gauge(
    'atelier_database_up',
    'Whether the database answered this scrape in time: 1 or 0.',
  )
  const looks = coalesce(look)
  return async () => {
    const hasAnswered = await answersWithin(scrapeMs, looks.run())
    isUp.set(hasAnswered ? 1 : 0)
    showConnections()
  }
}
