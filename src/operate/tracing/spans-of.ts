// Turns what a process observes into spans. Names and attributes follow OpenTelemetry's conventions
// for HTTP and for generative AI; our own begin with `atelier.`. A span never contains a prompt, an
// answer, an address or a credential.
import type { SettledCall } from '#core/settled-call.ts'
import type { EndedStep } from '#core/step-states.ts'
import { newSpanId, type Span, type SpanContext, spanIdOf, traceIdOf } from './span.ts'

export type EndedRequest = {
  operationId: string
  method: string
  route: string
  status: number
  requestId: string
  accountId: string | null
}

type Times = Pick<Span, 'startMs' | 'endMs'>

export const requestSpan = (
  { operationId, method, route, status, requestId, accountId }: EndedRequest,
  { context, parentSpanId, links }: Pick<Span, 'context' | 'parentSpanId' | 'links'>,
  times: Times,
): Span => ({
  ...{ context, parentSpanId, links: links ?? [], ...times },
  name: `${method} ${route}`,
  kind: 'server',
  attributes: {
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    'atelier.operation': operationId,
    'atelier.request.id': requestId,
    'atelier.account.id': accountId,
  },
  // Refusing a request (4xx) is not a failure of the server.
  error: status >= 500 ? `HTTP ${status}` : null,
})

export const runContext = (runId: string): Omit<SpanContext, 'isSampled'> => ({
  traceId: traceIdOf(runId),
  spanId: spanIdOf('run', runId),
})

/** A task does not know the step that ordered it, so the span of that step is named after it. */
const stepSpanId = (runId: string, path: string, taskId: string | null) =>
  taskId === null ? spanIdOf('step', runId, path) : spanIdOf('task', taskId)

type Sampled = (traceId: string) => boolean

export const runSpan = (
  { runId, status }: { runId: string; status: string },
  times: Times,
  isSampled: Sampled,
): Span => {
  const context = runContext(runId)
  return {
    context: { ...context, isSampled: isSampled(context.traceId) },
    parentSpanId: null,
    ...times,
    name: 'invoke_workflow',
    kind: 'internal',
    attributes: {
      'gen_ai.operation.name': 'invoke_workflow',
      'atelier.run.id': runId,
      'atelier.run.status': status,
    },
    error: status === 'FAILED' ? status : null,
  }
}

export const stepSpan = (step: EndedStep, isSampled: Sampled): Span => {
  const { traceId, spanId } = runContext(step.run_id)
  const failure = step.status === 'FAILED' ? step.error.code : null
  return {
    context: {
      traceId,
      spanId: stepSpanId(step.run_id, step.path, step.task_id),
      isSampled: isSampled(traceId),
    },
    parentSpanId: spanId,
    startMs: step.started_at,
    endMs: step.ended_at,
    name: `step ${step.kind}`,
    kind: 'internal',
    attributes: {
      'atelier.run.id': step.run_id,
      'atelier.step.path': step.path,
      'atelier.step.kind': step.kind,
      'atelier.step.attempts': step.attempts,
      'error.type': failure,
    },
    error: failure,
  }
}

const operations: Record<SettledCall['operation'], string> = {
  chat: 'chat',
  embedding: 'embeddings',
  speech: 'generate_content',
  transcription: 'generate_content',
  image: 'generate_content',
  video: 'generate_content',
}

/** Well-known names of the conventions, where they differ from ours. */
const providerNames: Record<string, string> = { gemini: 'gcp.gemini' }

const outputTypes: Partial<Record<SettledCall['operation'], string>> = {
  image: 'image',
  video: 'video',
  speech: 'speech',
  transcription: 'text',
}

/** `caller` is the request that waits for the call, if one does. */
export const callSpan = (
  call: SettledCall,
  caller: SpanContext | null,
  endMs: number,
  isSampled: Sampled,
): Span => {
  const { context, parentSpanId } = placeOf(call, caller, isSampled)
  const { operation, provider, model, units, outcome, costMicros } = call
  const isFailed = outcome !== 'SUCCEEDED'
  return {
    ...{ context, parentSpanId, endMs },
    startMs: endMs - call.elapsedMs,
    name: `${operations[operation]} ${model}`,
    kind: 'client',
    attributes: {
      'gen_ai.operation.name': operations[operation],
      'gen_ai.provider.name': providerNames[provider] ?? provider,
      'gen_ai.request.model': model,
      'gen_ai.response.model': call.answeredBy,
      'gen_ai.output.type': outputTypes[operation],
      'gen_ai.usage.input_tokens': units.inputTokens,
      'gen_ai.usage.output_tokens': units.outputTokens,
      'gen_ai.response.finish_reasons': call.finish && [call.finish],
      'atelier.call.outcome': outcome,
      'atelier.call.cost_usd': costMicros === null ? null : costMicros / 1e6,
      'atelier.call.deployment': call.via?.deployment,
      'atelier.call.route': call.via?.route,
      'atelier.call.attempt': call.via?.number,
      'atelier.run.id': call.runId,
      'atelier.task.id': call.taskId,
      'error.type': isFailed ? outcome : null,
    },
    error: isFailed ? outcome : null,
  }
}

function placeOf(
  { runId, nodeId, taskId }: Pick<SettledCall, 'runId' | 'nodeId' | 'taskId'>,
  caller: SpanContext | null,
  isSampled: Sampled,
): Pick<Span, 'context' | 'parentSpanId'> {
  const spanId = newSpanId()
  if (runId !== null) {
    const run = runContext(runId)
    const parentSpanId = nodeId === null ? run.spanId : stepSpanId(runId, nodeId, taskId)
    const { traceId } = run
    return { context: { traceId, spanId, isSampled: isSampled(traceId) }, parentSpanId }
  }
  if (taskId !== null) {
    const traceId = traceIdOf(taskId)
    return { context: { traceId, spanId, isSampled: isSampled(traceId) }, parentSpanId: null }
  }
  return caller
    ? { context: { ...caller, spanId }, parentSpanId: caller.spanId }
    : { context: { traceId: '', spanId, isSampled: false }, parentSpanId: null }
}
