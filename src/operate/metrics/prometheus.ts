import { createServer, type Server } from 'node:http'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { PassedThreshold } from '#core/budget-alert.ts'
import type { BudgetName } from '#core/budgets.ts'
import type { WebhookResult } from '#core/run-webhook.ts'
import type { SettledCall } from '#core/settled-call.ts'
import type { EndedStep } from '#core/step-states.ts'
import { isReady, type Readiness } from '../readiness.ts'
import { createDurations } from './durations.ts'
import { observeLanes } from './lane-metrics.ts'
import type { MetricSources, Metrics } from './metrics.ts'
import { watchWork } from './work-metrics.ts'

/** Counts from the start and serves the metrics at `listen`, a separate address. */
export async function openPrometheus(listen: Address, sources: MetricSources): Promise<Metrics> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const lookAtWork = watchWork(registry, sources)
  const lookAtStores = watchStores(registry, sources.readiness)
  const observed = { ...observeRequests(registry), ...observeCalls(registry) }
  const server = await serve(listen, {
    isReady: async () => isReady(await sources.readiness.check()),
    metrics: async () => {
      await Promise.all([lookAtWork(), lookAtStores()])
      return { type: registry.contentType, text: await registry.metrics() }
    },
  })
  return { ...observed, close: async () => void server.close() }
}

/** The returned function tries every store, together with whoever asks for readiness. */
function watchStores(registry: Registry, readiness: Readiness): () => Promise<void> {
  const writable = new Gauge({
    name: 'atelier_writable',
    help: 'Whether this process could store a write just now: 1 or 0, by store (database, chats, media).',
    labelNames: ['store'] as const,
    registers: [registry],
  })
  return async () => {
    for (const [store, isWritable] of Object.entries(await readiness.check()))
      writable.set({ store }, isWritable ? 1 : 0)
  }
}

type Address = { host: string; port: number }

function observeRequests(registry: Registry) {
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
  const firings = new Counter({
    name: 'atelier_trigger_firings_total',
    help: 'Firings of triggers in this process, by kind and by what became of them: STARTED, QUEUED, UNVERIFIED, or why there is no run.',
    labelNames: ['kind', 'outcome'] as const,
    registers: [registry],
  })
  const waits = new Counter({
    name: 'atelier_waits_ended_total',
    help: 'Waits behind which a run went on in this process, by kind and by how they ended: ANSWERED, EXPIRED or PASSED.',
    labelNames: ['kind', 'outcome'] as const,
    registers: [registry],
  })
  const quarantined = new Counter({
    name: 'atelier_quarantined_total',
    help: 'Work this process ended because no worker could continue it, by kind.',
    labelNames: ['kind'] as const,
    registers: [registry],
  })
  // An alert waits for an increase, and Prometheus sees none in a series that begins with 1.
  for (const kind of ['run', 'task']) quarantined.inc({ kind }, 0)
  const spans = new Counter({
    name: 'atelier_trace_spans_dropped_total',
    help: 'Spans of traces that did not reach the collector.',
    registers: [registry],
  })
  return {
    finished: (operation: string, status: number, elapsedMs: number) =>
      requests.observe(elapsedMs, operation, status),
    taskEnded: (kind: string, status: string) => tasks.inc({ kind, status }),
    runSubmitted: () => undefined,
    runEnded: (status: string, elapsedMs: number) => runs.observe(elapsedMs, status),
    ...observeSpending(registry),
    ...observeLanes(registry),
    webhookTried: (result: WebhookResult) => webhooks.inc({ result }),
    triggerFired: (kind: string, outcome: string) => firings.inc({ kind, outcome }),
    waitEnded: (kind: string, outcome: string) => waits.inc({ kind, outcome }),
    ...observeBatches(registry),
    quarantined: (kind: 'run' | 'task') => quarantined.inc({ kind }),
    spansDropped: (count: number) => spans.inc(count),
  }
}

function observeBatches(registry: Registry) {
  const batches = new Counter({
    name: 'atelier_batches_total',
    help: "Vendors' batches that this process saw accepted, refused, lost or ended, by provider.",
    labelNames: ['provider', 'outcome'] as const,
    registers: [registry],
  })
  return {
    batchChanged: (provider: string, outcome: string) => batches.inc({ provider, outcome }),
  }
}

function observeSpending(registry: Registry) {
  const refused = new Counter({
    name: 'atelier_spend_refused_total',
    help: 'Calls that a spend limit refused in this process, by scope and period of the limit.',
    labelNames: ['scope', 'period'] as const,
    registers: [registry],
  })
  const passed = new Counter({
    name: 'atelier_budget_alerts_total',
    help: 'Budgets of which so much was spent, by scope and percent.',
    labelNames: ['scope', 'percent'] as const,
    registers: [registry],
  })
  return {
    spendRefused: ({ scope, period }: BudgetName) => refused.inc({ scope, period }),
    budgetPassed: ({ scope, percent }: PassedThreshold) => passed.inc({ scope, percent }),
  }
}

function observeCalls(registry: Registry) {
  const calls = createDurations({
    name: 'atelier_provider_call_duration_seconds',
    help: 'Time from the first byte of a call to a provider until its outcome is known, by provider and outcome.',
    labels: ['provider', 'outcome'],
    bounds: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 900],
  })
  const steps = createDurations({
    name: 'atelier_step_duration_seconds',
    help: 'Time of one recorded step of a run, by its kind and status.',
    labels: ['kind', 'status'],
    bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900],
  })
  registry.registerMetric(calls.metric)
  registry.registerMetric(steps.metric)
  const tokens = new Counter({
    name: 'atelier_tokens_total',
    help: 'Tokens used by calls of this process, by model and kind; cached and reasoning tokens are also among input and output.',
    labelNames: ['model', 'kind'] as const,
    registers: [registry],
  })
  const spend = new Counter({
    name: 'atelier_spend_usd_total',
    help: 'Cost of calls of this process in US dollars, by model.',
    labelNames: ['model'] as const,
    registers: [registry],
  })
  const { countDeployment, deploymentPaused } = observeDeployments(registry)
  const count = (model: string, kind: string, used: number | undefined) => {
    if (used) tokens.inc({ model, kind }, used)
  }
  return {
    deploymentPaused,
    callSettled(call: SettledCall) {
      const { provider, model, outcome, units, costMicros, elapsedMs } = call
      calls.observe(elapsedMs, provider, outcome)
      countDeployment(call)
      count(model, 'input', units.inputTokens)
      count(model, 'cached_input', units.cachedInputTokens)
      count(model, 'output', units.outputTokens)
      count(model, 'reasoning', units.reasoningTokens)
      if (costMicros) spend.inc({ model }, costMicros / 1_000_000)
    },
    stepEnded: ({ kind, status, started_at, ended_at }: EndedStep) =>
      steps.observe(ended_at - started_at, kind, status),
  }
}

/** Only where the operator named several keys of a provider. */
function observeDeployments(registry: Registry) {
  const made = new Counter({
    name: 'atelier_deployment_calls_total',
    help: 'Calls of this process with one of several keys of a provider, by its name and by outcome.',
    labelNames: ['provider', 'deployment', 'outcome'] as const,
    registers: [registry],
  })
  const paused = new Counter({
    name: 'atelier_deployment_pauses_total',
    help: 'How often this process paused one of several keys of a provider: calls kept failing, or the key was refused.',
    labelNames: ['provider', 'deployment', 'reason'] as const,
    registers: [registry],
  })
  return {
    countDeployment({ provider, outcome, via }: SettledCall) {
      const deployment = via?.deployment
      if (deployment !== undefined) made.inc({ provider, deployment, outcome })
    },
    deploymentPaused: (provider: string, deployment: string, reason: string) =>
      paused.inc({ provider, deployment, reason }),
  }
}

type Answers = {
  isReady(): Promise<boolean>
  metrics(): Promise<{ type: string; text: string }>
}

/**
 * Listens on a separate address, so that a proxy in front of the API never exposes it. Workers have
 * no other address, so it also answers health checks.
 */
function serve({ host, port }: Address, { isReady, metrics }: Answers): Promise<Server> {
  const server = createServer((request, response) => {
    const send = (status: number, type: string, text: string) =>
      response.writeHead(status, { 'content-type': type }).end(text)
    const sendState = (isWell: boolean) =>
      send(isWell ? 200 : 503, 'application/json', `{"status":"${isWell ? 'ok' : 'unavailable'}"}`)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const path = isRead ? request.url : undefined
    if (path === '/healthz') sendState(true)
    else if (path === '/readyz') void isReady().then(sendState)
    else if (path === '/metrics')
      metrics().then(
        ({ type, text }) => send(200, type, text),
        () => response.writeHead(500).end(),
      )
    else response.writeHead(404).end()
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve(server))
  })
}
