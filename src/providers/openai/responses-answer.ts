import { isRecord } from '#core/record.ts'
import type { Logprob, Thought, ToolCall } from '#core/text-stream.ts'
import type { Usage } from '#core/usage.ts'
import { answeringModel } from '#providers/answering-model.ts'
import { type Json, parseJson, recordsOf, textOf } from '#providers/json-shape.ts'
import type { TextResult } from '#providers/provider.ts'
import { endedError, protocolError, refusalError } from '#providers/refusal.ts'
import type { Answer, Upstream } from '#providers/upstream.ts'
import { kindOfCode, refusal, responseUsage, tierIn } from './response.ts'
import { isResponse, type ResponseAnswer, searchesIn, thoughtIn } from './responses-wire.ts'

export function readResponse(upstream: Upstream, answer: Answer): TextResult {
  if (answer.status !== 200) throw refusal(upstream, answer, { rejectedWhenBusy: true })
  const json = parseJson(answer.body)
  if (!isResponse(json)) throw protocolError(upstream, answer, 'not a response')
  const blocked = blockedEnd(json)
  if (json.status === 'failed' && !blocked) throw failureOf(upstream, answer, json)
  const said = itemsIn(json.output)
  const end = blocked ?? endOf(json, said.refusal)
  const searches = searchesIn(json.output)
  if (!end) throw protocolError(upstream, answer, `a response that is ${json.status}`)
  return {
    text: said.text,
    ...(said.thoughts.length > 0 ? { thoughts: said.thoughts } : {}),
    ...(searches > 0 ? { hosted: json.output.map((item) => ({ form: 'openai', item })) } : {}),
    ...(said.toolCalls.length > 0 ? { toolCalls: said.toolCalls } : {}),
    ...(said.logprobs.length > 0 ? { logprobs: said.logprobs } : {}),
    ...end,
    usage: usageWith(responseUsage(json.usage), searches),
    requestId: textOf(answer.headers['x-request-id']) ?? textOf(json.id) ?? null,
    ...answeringModel(json),
    ...tierIn(json),
  }
}

export const usageWith = (usage: Usage | null, searches: number): Usage | null =>
  usage && searches > 0 ? { ...usage, searches } : usage

function itemsIn(output: readonly Json[]) {
  const said = {
    text: '',
    refusal: '',
    thoughts: [] as Thought[],
    toolCalls: [] as ToolCall[],
    logprobs: [] as Logprob[],
  }
  for (const item of output) {
    for (const part of item.type === 'message' ? recordsOf(item.content) : []) {
      if (part.type === 'output_text') {
        said.text += textOf(part.text) ?? ''
        said.logprobs.push(...recordsOf(part.logprobs))
      }
      if (part.type === 'refusal') said.refusal += textOf(part.refusal) ?? ''
    }
    const thought = thoughtIn(item)
    if (thought) said.thoughts.push(thought)
    const call = callIn(item)
    if (call) said.toolCalls.push(call)
  }
  return said
}

export function callIn(item: Json): ToolCall | undefined {
  const [id, name] = [textOf(item.call_id), textOf(item.name)]
  if (item.type !== 'function_call' || id === undefined || name === undefined) return undefined
  return { id, name, arguments: textOf(item.arguments) ?? '' }
}

/** Undefined if the response has not ended. */
export function endOf(
  { status, incomplete_details }: Pick<ResponseAnswer, 'status' | 'incomplete_details'>,
  refused: string,
): Pick<TextResult, 'finish' | 'refusal'> | undefined {
  if (refused !== '') return { finish: 'content_filter', refusal: refused }
  if (status === 'completed') return { finish: 'stop' }
  if (status !== 'incomplete') return undefined
  const { reason } = isRecord(incomplete_details) ? incomplete_details : {}
  return { finish: reason === 'content_filter' ? 'content_filter' : 'length' }
}

/** A response that a filter stopped half-way. Its usage until then is billed. */
export function blockedEnd({
  status,
  error,
  usage,
}: Json | ResponseAnswer): Pick<TextResult, 'finish' | 'refusal'> | undefined {
  const { code, message } = isRecord(error) ? error : {}
  if (status !== 'failed' || kindOfCode(code) !== 'content' || !isRecord(usage)) return undefined
  return { finish: 'content_filter', refusal: textOf(message) ?? String(code) }
}

/**
 * A response that ended with an error. Known codes are refusals, unless tokens were counted: those
 * may be billed, so that the call must not be repeated. Else the outcome is unknown.
 */
function failureOf(upstream: Upstream, answer: Answer, { error, usage }: ResponseAnswer) {
  const { code, message } = isRecord(error) ? error : {}
  const kind = kindOfCode(code)
  const words = textOf(message) ?? 'the response failed'
  const isSynchronous = !isRecord(usage)
  if (kind !== undefined && isSynchronous) return endedError(upstream, kind, words)
  return refusalError(upstream, answer, { message: words, kind: kind ?? 'server', isSynchronous })
}
