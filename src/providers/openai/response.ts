import { isRecord } from '#core/record.ts'
import type { Alternative, EndCause, Logprob, ToolCall } from '#core/text-stream.ts'
import { type Usage, usageOf } from '#core/usage.ts'
import { answeringModel } from '#providers/answering-model.ts'
import { countOf, type Json, parseJson, recordsOf, textOf } from '#providers/json-shape.ts'
import type {
  JobRef,
  Output,
  PollState,
  ProviderError,
  ProviderErrorKind,
  Submitted,
  TextResult,
} from '#providers/provider.ts'
import { endedError, protocolError, refusalError } from '#providers/refusal.ts'
import type { Answer, Upstream } from '#providers/upstream.ts'
import {
  type ChatChoice,
  isChatCompletion,
  isChoice,
  isImageAnswer,
  isVideoJob,
  type VideoJob,
} from './wire.ts'

const videoPollMs = 5_000

export function readChat(upstream: Upstream, answer: Answer): TextResult {
  if (answer.status !== 200) throw refusal(upstream, answer, { rejectedWhenBusy: true })
  const json = parseJson(answer.body)
  if (!isChatCompletion(json)) {
    // Some compatible servers send an error with status 200. One with usage may be billed.
    if (isRecord(json) && json.error && !isRecord(json.usage))
      throw refusal(upstream, answer, { rejectedWhenBusy: true })
    throw protocolError(upstream, answer, 'not a chat completion')
  }
  const { choices } = json
  const answerId = textOf(json.id) ?? 'call'
  const result: TextResult = {
    ...choiceOf(choices[0], answerId),
    usage: chatUsage(json.usage),
    requestId: textOf(answer.headers['x-request-id']) ?? textOf(json.id) ?? null,
    ...answeringModel(json),
    ...tierIn(json),
  }
  if (choices.length === 1) return result
  const alternatives = alternativesIn(choices, answerId)
  return alternatives.length > 0 ? { ...result, alternatives } : result
}

/** The tier that the call is billed by, whichever was asked for. */
export const tierIn = ({ service_tier }: Json): { tier?: 'flex' } =>
  service_tier === 'flex' ? { tier: 'flex' } : {}

const alternativesIn = ([, ...others]: readonly unknown[], answerId: string): Alternative[] =>
  others.filter(isChoice).map((other) => {
    const { finish, endCause: _, refusal: __, ...written } = choiceOf(other, answerId)
    return { ...written, finish: alternativeFinish(finish) }
  })

/** One unusable answer among several does not fail the call; it is reported as filtered. */
export const alternativeFinish = (finish: TextResult['finish']): Alternative['finish'] =>
  finish === 'malformed' ? 'content_filter' : finish

type Choice = Pick<
  TextResult,
  'text' | 'thoughts' | 'toolCalls' | 'logprobs' | 'finish' | 'endCause' | 'refusal'
>

/** Thoughts are not part of OpenAI's chat API; other servers call them by one of these names. */
export const thoughtText = (said: Json): string =>
  textOf(said.reasoning_content) ?? textOf(said.reasoning) ?? ''

function choiceOf(choice: ChatChoice, answerId: string): Choice {
  const { message, finish_reason } = choice
  const { content } = message
  const thought = thoughtText(message)
  const isPlain = !message.refusal && !message.tool_calls && !choice.logprobs && thought === ''
  const endCause = causeIn(choice)
  if (isPlain && typeof content === 'string' && !endCause)
    return { text: content, finish: finishOf(finish_reason) }
  const refused = textOf(message.refusal)
  const toolCalls = toolCallsOf(message.tool_calls, answerId)
  return {
    text: messageText(content),
    ...(thought === '' ? {} : { thoughts: [{ text: thought }] }),
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...logprobsOf(choice),
    ...(refused
      ? { finish: 'content_filter', refusal: refused }
      : { finish: finishOf(finish_reason), ...(endCause ? { endCause } : {}) }),
  }
}

/** vLLM and SGLang name the text that ended an answer; if it was a token, they give its number. */
export function causeIn({ finish_reason, stop_reason, matched_stop }: Json): EndCause | undefined {
  const stopSequence = textOf(stop_reason) ?? textOf(matched_stop)
  return finish_reason === 'stop' && stopSequence !== undefined ? { stopSequence } : undefined
}

/** The logprobs of a choice, whole or streamed; absent if none were requested. */
export function logprobsOf({ logprobs }: { logprobs?: unknown }): { logprobs?: Logprob[] } {
  const tokens = recordsOf(isRecord(logprobs) ? logprobs.content : undefined)
  return tokens.length > 0 ? { logprobs: tokens } : {}
}

/** Some compatible servers send calls without an id. */
const toolCallsOf = (calls: unknown, answerId: string): ToolCall[] =>
  recordsOf(calls).flatMap((call, index) => {
    const wanted = isRecord(call.function) ? call.function : {}
    const name = textOf(wanted.name)
    if (name === undefined) return []
    const id = textOf(call.id) ?? `${answerId}-${index}`
    return [{ id, name, arguments: argumentsText(wanted.arguments) }]
  })

/** Some compatible servers send the object itself instead of its JSON text. */
export const argumentsText = (given: unknown): string =>
  typeof given === 'string' ? given : isRecord(given) ? JSON.stringify(given) : ''

/** Some compatible servers answer in parts, including thoughts. */
export const messageText = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : recordsOf(content)
        .filter((part) => part.type === 'text')
        .map((part) => textOf(part.text) ?? '')
        .join('')

export function finishOf(reason: unknown): TextResult['finish'] {
  if (reason === 'length' || reason === 'content_filter') return reason
  // OpenRouter reports this if the provider behind it failed half-way.
  return reason === 'error' ? 'malformed' : 'stop'
}

const detailsIn = (value: unknown): Json => (isRecord(value) ? value : {})

/** Counts that a server's usage leaves out are taken as 0. */
export function chatUsage(usage: unknown): Usage | null {
  if (!isRecord(usage)) return null
  const { prompt_tokens_details: inputs, completion_tokens_details: outputs } = usage
  const prompt = countOf(usage.prompt_tokens)
  const completion = countOf(usage.completion_tokens)
  if (!inputs && !outputs && !usage.prompt_cache_hit_tokens) return usageOf(prompt, completion)
  const input = detailsIn(inputs)
  const output = detailsIn(outputs)
  const reasoning = countOf(output.reasoning_tokens)
  // xAI does not count reasoning as completion; only the total shows that it was billed.
  const isApart = countOf(usage.total_tokens) === prompt + completion + reasoning
  return usageOf(prompt, isApart ? completion + reasoning : completion, {
    // DeepSeek's own API reports cache hits beside the input tokens, not in their details.
    cachedInputTokens: countOf(input.cached_tokens ?? usage.prompt_cache_hit_tokens),
    cacheWriteTokens: countOf(input.cache_write_tokens),
    inputImageTokens: countOf(input.image_tokens),
    inputAudioTokens: countOf(input.audio_tokens),
    reasoningTokens: reasoning,
    outputImageTokens: countOf(output.image_tokens),
    outputAudioTokens: countOf(output.audio_tokens),
  })
}

/** The Responses API and the image API report usage in the same format. */
export function responseUsage(usage: unknown): Usage | null {
  if (!isRecord(usage)) return null
  const input = detailsIn(usage.input_tokens_details)
  const output = detailsIn(usage.output_tokens_details)
  const cached = detailsIn(input.cached_tokens_details)
  return usageOf(countOf(usage.input_tokens), countOf(usage.output_tokens), {
    cachedInputTokens: countOf(input.cached_tokens),
    cacheWriteTokens: countOf(input.cache_write_tokens),
    inputImageTokens: countOf(input.image_tokens),
    inputAudioTokens: countOf(input.audio_tokens),
    cachedImageTokens: countOf(cached.image_tokens),
    cachedAudioTokens: countOf(cached.audio_tokens),
    reasoningTokens: countOf(output.reasoning_tokens),
    outputImageTokens: countOf(output.image_tokens),
    outputAudioTokens: countOf(output.audio_tokens),
  })
}

export function readImages(upstream: Upstream, answer: Answer): Submitted {
  if (answer.status !== 200) throw refusal(upstream, answer, { rejectedWhenBusy: false })
  const json = parseJson(answer.body)
  if (!isImageAnswer(json)) throw protocolError(upstream, answer, 'not a list of images')
  const outputs: Output[] = []
  for (const image of json.data) {
    const bytes = textOf(image.b64_json)
    const url = textOf(image.url)
    if (bytes) outputs.push({ bytes: Buffer.from(bytes, 'base64') })
    else if (url && /^https?:\/\//.test(url)) outputs.push({ url })
  }
  if (outputs.length === 0) throw protocolError(upstream, answer, 'no image in the answer')
  const usage = responseUsage(json.usage)
  return usage ? { done: outputs, billed: { usage } } : { done: outputs }
}

export function readVideoRef(upstream: Upstream, answer: Answer): JobRef {
  return { v: 1, provider: upstream.name, id: videoJob(upstream, answer).id }
}

/** `content`: the address of the finished file, with the headers needed to fetch it. */
export function readVideoState(upstream: Upstream, answer: Answer, content: Output): PollState {
  const job = videoJob(upstream, answer)
  if (job.status === 'completed') return { state: 'succeeded', outputs: [content] }
  if (job.status === 'queued') return { state: 'queued', nextMs: videoPollMs }
  if (job.status === 'in_progress') {
    const percent = countOf(job.progress)
    return {
      state: 'running',
      nextMs: videoPollMs,
      ...(percent > 0 ? { progress: Math.min(1, percent / 100) } : {}),
    }
  }
  if (job.status !== 'failed') throw protocolError(upstream, answer, 'an unknown job status')
  const error = isRecord(job.error) ? job.error : {}
  const kind = kindOfCode(error.code) ?? 'server'
  return { state: 'failed', error: endedError(upstream, kind, textOf(error.message)) }
}

function videoJob(upstream: Upstream, answer: Answer): VideoJob {
  if (answer.status !== 200 && answer.status !== 201 && answer.status !== 202) {
    throw refusal(upstream, answer, { rejectedWhenBusy: false })
  }
  const json = parseJson(answer.body)
  if (!isVideoJob(json)) throw protocolError(upstream, answer, 'not a video job')
  return json
}

export function refusal(
  upstream: Upstream,
  answer: Answer,
  { rejectedWhenBusy }: { rejectedWhenBusy: boolean },
): ProviderError {
  const json = parseJson(answer.body)
  // Some compatible servers write {error: "…"} or {message: "…"} or {detail: "…"}.
  const error = isRecord(json) && isRecord(json.error) ? json.error : undefined
  const flat = isRecord(json) ? (json.error ?? json.message ?? json.detail) : undefined
  return refusalError(upstream, answer, {
    message: textOf(error?.message) ?? textOf(flat),
    kind: kindOfCode(error?.code) ?? kindOfCode(error?.type),
    rejectedWhenBusy: rejectedWhenBusy && (error !== undefined || textOf(flat) !== undefined),
    isSynchronous: rejectedWhenBusy,
  })
}

export function kindOfCode(code: unknown): ProviderErrorKind | undefined {
  switch (code) {
    case 'content_policy_violation':
    case 'content_filter':
    case 'moderation_blocked':
    case 'invalid_prompt':
    case 'bio_policy':
    case 'misalignment_policy_violation':
    case 'image_content_policy_violation':
      return 'content'
    case 'rate_limit_exceeded':
      return 'busy'
    // Waiting does not help here, even if the status is 429.
    case 'insufficient_quota':
    case 'billing_hard_limit_reached':
    case 'invalid_api_key':
      return 'auth'
    case 'context_length_exceeded':
    case 'exceed_context_size_error':
      return 'invalid'
    case 'model_not_found':
      return 'not_found'
    default:
      return undefined
  }
}
