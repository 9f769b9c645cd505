// Traces of the requests and the work of this process. Loaded only if a collector is configured. A
// request has a context while it lasts, so that the calls it waits for become its children; all
// other spans find their trace by their identifiers.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyRequest } from 'fastify'
import type { Config } from '#config'
import type { Clock } from '#core/clock.ts'
import { uuidV7 } from '#core/ids.ts'
import { callerOf } from '#http/observe.ts'
import type { Logger } from '../log.ts'
import type { Metrics, Tracing } from '../metrics/metrics.ts'
import { packageVersion } from '../package-version.ts'
import {
  isInSample,
  newSpanId,
  newTraceId,
  readTraceparent,
  type Span,
  type SpanContext,
} from './span.ts'
import { openSpanExporter } from './span-exporter.ts'
import { callSpan, requestSpan, runContext, runSpan, stepSpan } from './spans-of.ts'

type RequestTrace = Pick<Span, 'context' | 'parentSpanId'> & {
  links: Pick<SpanContext, 'traceId' | 'spanId'>[]
}

export function createTracing({
  config,
  clock,
  log,
  metrics,
}: {
  config: Config
  clock: Clock
  log: Logger
  metrics: Metrics
}): Tracing {
  const current = new AsyncLocalStorage<RequestTrace>()
  const ofRequest = new WeakMap<FastifyRequest, RequestTrace>()
  const ratio = config.OTEL_TRACES_SAMPLER_ARG
  const isSampled = (traceId: string) => isInSample(traceId, ratio)
  const exporter = openSpanExporter({
    url: `${config.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    resource: resourceOf(config, uuidV7(clock.nowMs())),
    scope: { name: 'atelier', version: packageVersion() },
    onDropped: metrics.spansDropped,
    onUnavailable: (err) => log.warn({ err }, 'the collector does not accept traces'),
    onRecovered: () => log.info('the collector accepts traces again'),
  })
  const add = (span: Span) => {
    if (span.context.isSampled) exporter.add(span)
  }
  const lasting = (elapsedMs: number) => {
    const endMs = clock.nowMs()
    return { startMs: endMs - elapsedMs, endMs }
  }
  return {
    began(request, next) {
      const trace = beginTrace(request.headers.traceparent, isSampled)
      ofRequest.set(request, trace)
      current.run(trace, next)
    },
    runSubmitted(runId) {
      current.getStore()?.links.push(runContext(runId))
    },
    finished(operationId, status, elapsedMs, request) {
      const trace = ofRequest.get(request)
      if (!trace) return
      const { method, id: requestId } = request
      const route = request.routeOptions.url ?? ''
      const { accountId } = callerOf(request)
      const ended = { operationId, method, route, status, requestId, accountId }
      add(requestSpan(ended, trace, lasting(elapsedMs)))
    },
    runEnded: (status, elapsedMs, runId) =>
      add(runSpan({ runId, status }, lasting(elapsedMs), isSampled)),
    stepEnded: (step) => add(stepSpan(step, isSampled)),
    callSettled(call) {
      const caller = current.getStore()?.context ?? null
      add(callSpan(call, caller, clock.nowMs(), isSampled))
    },
    close: exporter.close,
  }
}

/** A caller that sends a trace decides whether it is kept; otherwise sampling decides. */
function beginTrace(
  header: string | string[] | undefined,
  isSampled: (traceId: string) => boolean,
): RequestTrace {
  const parent = readTraceparent(typeof header === 'string' ? header : undefined)
  const traceId = parent?.traceId ?? newTraceId()
  return {
    context: { traceId, spanId: newSpanId(), isSampled: parent?.isSampled ?? isSampled(traceId) },
    parentSpanId: parent?.spanId ?? null,
    links: [],
  }
}

const resourceOf = (config: Config, instance: string) => ({
  ...config.OTEL_RESOURCE_ATTRIBUTES,
  'service.name': config.OTEL_SERVICE_NAME,
  'service.version': packageVersion(),
  'service.instance.id': instance,
})
