import { isRecord } from '#core/record.ts'
import type { ToolCall } from '#core/text-stream.ts'
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
import { type Generated, isGenerated, isOperation, type Operation } from './wire.ts'

const veoPollMs = 10_000

/** Finish reasons that mean that the answer is withheld. */
const contentReasons = new Set([
  'SAFETY',
  'RECITATION',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'LANGUAGE',
  'OTHER',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
  'IMAGE_OTHER',
  'NO_IMAGE',
])

export function readText(upstream: Upstream, answer: Answer): TextResult {
  const json = generated(upstream, answer)
  const { end, parts, grounding } = candidate(upstream, answer, json)
  const requestId = textOf(json.responseId) ?? null
  let text = ''
  let thought = ''
  const toolCalls: ToolCall[] = []
  for (const part of parts) {
    // Thoughts are parts too, marked as such.
    if (part.thought === true) thought += textOf(part.text) ?? ''
    else text += textOf(part.text) ?? ''
    const call = toolCallOf(part, `${requestId ?? 'call'}-${toolCalls.length}`)
    if (call) toolCalls.push(call)
  }
  return {
    text,
    ...(thought === '' ? {} : { thoughts: [{ text: thought }] }),
    ...(grounding ? { hosted: [{ form: 'gemini', item: grounding }] } : {}),
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...end,
    usage: contentUsage(json.usageMetadata, new Set(queriesIn(grounding))),
    requestId,
    ...answeringModel(json),
  }
}

/** What Google searched for. It bills each query once, and none that is empty. */
export const queriesIn = (grounding: Json | undefined): string[] => {
  const queries = grounding?.webSearchQueries
  return Array.isArray(queries) ? queries.filter((query) => textOf(query)) : []
}

/** Gemini gives calls an id only if there are several at once. */
export function toolCallOf(part: Json, unnamed: string): ToolCall | undefined {
  const call = isRecord(part.functionCall) ? part.functionCall : {}
  const name = textOf(call.name)
  if (name === undefined) return undefined
  const signature = textOf(part.thoughtSignature)
  return {
    id: textOf(call.id) ?? unnamed,
    name,
    arguments: JSON.stringify(call.args ?? {}),
    ...(signature === undefined ? {} : { signature }),
  }
}

/** Finish reasons of answers whose function calls are unusable. */
const brokenCalls = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
])

type End = Pick<TextResult, 'finish' | 'refusal'>

export function endOf(reason = 'STOP', message?: string): End {
  if (brokenCalls.has(reason)) {
    return { finish: 'malformed', refusal: `the model made a broken function call (${reason})` }
  }
  // CONTINUATION: the rest would follow in another answer.
  if (reason === 'MAX_TOKENS' || reason === 'CONTINUATION') return { finish: 'length' }
  if (!contentReasons.has(reason)) return { finish: 'stop' }
  return { finish: 'content_filter', refusal: message ?? `the answer was blocked (${reason})` }
}

/** Undefined if the prompt was not blocked. A blocked prompt may be billed nevertheless. */
export function blockedPrompt(promptFeedback: unknown): End | undefined {
  const feedback = isRecord(promptFeedback) ? promptFeedback : {}
  const reason = textOf(feedback.blockReason)
  if (reason === undefined) return undefined
  const message = textOf(feedback.blockReasonMessage)
  return { finish: 'content_filter', refusal: message ?? `the prompt was blocked (${reason})` }
}

export function readImages(upstream: Upstream, answer: Answer): Submitted {
  const json = generated(upstream, answer)
  const { end, parts } = candidate(upstream, answer, json)
  const outputs: Output[] = []
  let words = ''
  for (const part of parts) {
    if (part.thought === true) continue
    words += textOf(part.text) ?? ''
    const inline = isRecord(part.inlineData) ? part.inlineData : {}
    const data = textOf(inline.data)
    if (data === undefined) continue
    const mimeType = textOf(inline.mimeType)
    outputs.push({ bytes: Buffer.from(data, 'base64'), ...(mimeType ? { mimeType } : {}) })
  }
  const usage = contentUsage(json.usageMetadata)
  if (outputs.length > 0)
    return { done: outputs, ...(usage ? { billed: { usage: pictureUsage(usage) } } : {}) }
  // If the model made no picture, its text says why, and that text is billed.
  if (words !== '' || end.finish === 'content_filter') {
    throw endedError(upstream, 'content', words || end.refusal, usage ? { usage } : undefined)
  }
  throw protocolError(upstream, answer, 'no image in the answer')
}

function generated(upstream: Upstream, answer: Answer): Generated {
  if (answer.status !== 200) throw refusal(upstream, answer, { rejectedWhenBusy: true })
  const json = parseJson(answer.body)
  if (!isGenerated(json)) throw protocolError(upstream, answer, 'not generated content')
  return json
}

function candidate(
  upstream: Upstream,
  answer: Answer,
  json: Generated,
): { end: End; parts: Json[]; grounding?: Json } {
  const first = recordsOf(json.candidates)[0]
  if (first === undefined) {
    const end = blockedPrompt(json.promptFeedback)
    if (!end) throw protocolError(upstream, answer, 'no candidate in the answer')
    return { end, parts: [] }
  }
  const content = isRecord(first.content) ? first.content : {}
  const end = endOf(textOf(first.finishReason), textOf(first.finishMessage))
  const grounding = isRecord(first.groundingMetadata) ? first.groundingMetadata : undefined
  return { end, parts: recordsOf(content.parts), ...(grounding ? { grounding } : {}) }
}

/**
 * Google counts thinking and tool prompts separately, but bills them as output and input.
 * `queries`: those it searched for.
 */
export function contentUsage(usage: unknown, queries?: ReadonlySet<string>): Usage | null {
  if (!isRecord(usage)) return null
  const thoughts = countOf(usage.thoughtsTokenCount)
  const input = countOf(usage.promptTokenCount) + countOf(usage.toolUsePromptTokenCount)
  const tokens = usageOf(input, countOf(usage.candidatesTokenCount) + thoughts, {
    cachedInputTokens: countOf(usage.cachedContentTokenCount),
    inputImageTokens: countIn(usage.promptTokensDetails, pictures),
    inputAudioTokens: countIn(usage.promptTokensDetails, ['AUDIO']),
    cachedImageTokens: countIn(usage.cacheTokensDetails, pictures),
    cachedAudioTokens: countIn(usage.cacheTokensDetails, ['AUDIO']),
    reasoningTokens: thoughts,
    outputImageTokens: countIn(usage.candidatesTokensDetails, pictures),
    outputAudioTokens: countIn(usage.candidatesTokensDetails, ['AUDIO']),
  })
  return queries?.size ? { ...tokens, searches: queries.size } : tokens
}

/** Without details, all output but thinking counts as pictures, whose tokens cost more. */
function pictureUsage(usage: Usage): Usage {
  if (usage.outputImageTokens !== undefined) return usage
  return { ...usage, outputImageTokens: usage.outputTokens - (usage.reasoningTokens ?? 0) }
}

/** Pages of documents are read, and billed, as pictures. */
const pictures = ['IMAGE', 'DOCUMENT']

const countIn = (details: unknown, modalities: readonly string[]): number =>
  recordsOf(details)
    .filter(({ modality }) => modalities.includes(String(modality)))
    .reduce((sum, { tokenCount }) => sum + countOf(tokenCount), 0)

export function readOperationRef(upstream: Upstream, answer: Answer): JobRef {
  return { v: 1, provider: upstream.name, id: operation(upstream, answer).name }
}

/** `outputAt` adds the key for addresses that may receive it. */
export function readOperationState(
  upstream: Upstream,
  answer: Answer,
  outputAt: (uri: string) => Output | undefined,
): PollState {
  const { done, error, response } = operation(upstream, answer)
  if (done !== true) return { state: 'running', nextMs: veoPollMs }
  if (isRecord(error)) {
    const message = textOf(error.message)
    const kind = kindOf(error.status, message) ?? kindOfRpc(error.code)
    return { state: 'failed', error: endedError(upstream, kind, message) }
  }
  const wrapped = isRecord(response) ? response.generateVideoResponse : undefined
  const videos = isRecord(wrapped) ? wrapped : {}
  const outputs: Output[] = []
  for (const sample of recordsOf(videos.generatedSamples)) {
    const uri = isRecord(sample.video) ? textOf(sample.video.uri) : undefined
    const output = uri === undefined ? undefined : outputAt(uri)
    if (output) outputs.push(output)
  }
  if (outputs.length > 0) return { state: 'succeeded', outputs }
  const reasons = Array.isArray(videos.raiMediaFilteredReasons)
    ? videos.raiMediaFilteredReasons
    : []
  if (reasons.length > 0 || countOf(videos.raiMediaFilteredCount) > 0) {
    const message = textOf(reasons[0]) ?? 'the video was filtered'
    return { state: 'failed', error: endedError(upstream, 'content', message) }
  }
  return { state: 'failed', error: endedError(upstream, 'protocol', 'no video in the answer') }
}

function operation(upstream: Upstream, answer: Answer): Operation {
  if (answer.status !== 200) throw refusal(upstream, answer, { rejectedWhenBusy: false })
  const json = parseJson(answer.body)
  if (!isOperation(json)) throw protocolError(upstream, answer, 'not an operation')
  return json
}

export function refusal(
  upstream: Upstream,
  answer: Answer,
  { rejectedWhenBusy }: { rejectedWhenBusy: boolean },
): ProviderError {
  const json = parseJson(answer.body)
  const error = isRecord(json) && isRecord(json.error) ? json.error : {}
  const message = textOf(error.message)
  return refusalError(upstream, answer, {
    message,
    kind: kindOf(error.status, message),
    rejectedWhenBusy: rejectedWhenBusy && error.status === 'UNAVAILABLE',
    isSynchronous: rejectedWhenBusy,
    retryAfterMs: retryInfoMs(error.details),
  })
}

export function kindOf(status: unknown, message = ''): ProviderErrorKind | undefined {
  // Google reports a wrong key as an invalid argument.
  if (/api key (?:not valid|expired|not found)/i.test(message)) return 'auth'
  if (/safety|responsible ai|usage guidelines|content polic/i.test(message)) return 'content'
  return status === 'DEADLINE_EXCEEDED' ? 'timeout' : undefined
}

/** google.rpc.Code: 3 INVALID_ARGUMENT, 8 RESOURCE_EXHAUSTED, 14 UNAVAILABLE. */
function kindOfRpc(code: unknown): ProviderErrorKind {
  if (code === 3) return 'invalid'
  return code === 8 || code === 14 ? 'busy' : 'server'
}

/** google.rpc.RetryInfo, as in "37s". */
function retryInfoMs(details: unknown): number | undefined {
  for (const detail of recordsOf(details)) {
    const seconds = /^(?<seconds>\d+(?:\.\d+)?)s$/.exec(textOf(detail.retryDelay) ?? '')?.groups
    if (seconds) return Number(seconds.seconds) * 1000
  }
  return undefined
}
