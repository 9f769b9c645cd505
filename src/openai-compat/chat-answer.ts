import { warningsOf } from '#core/answer-warnings.ts'
import type { GeneratedText, StreamEvent } from '#core/generation.ts'
import type { Alternative, Logprob, ToolCall } from '#core/text-stream.ts'
import { totalTokens } from '#core/usage.ts'

type Begin = Pick<GeneratedText, 'id' | 'createdAtMs' | 'modelId'>
type End = Pick<GeneratedText, 'finish' | 'usage' | 'costMicros'>

const headOf = (begin: Begin, object: 'chat.completion' | 'chat.completion.chunk') => ({
  id: `chatcmpl-${begin.id}`,
  object,
  created: Math.floor(begin.createdAtMs / 1000),
  model: begin.modelId,
})

/** `cost` in US dollars is not OpenAI's, but other gateways name it so; null where no price is known. */
const usageOf = ({ usage, costMicros }: End) => ({
  prompt_tokens: usage.inputTokens,
  completion_tokens: usage.outputTokens,
  total_tokens: totalTokens(usage),
  cost: costMicros === null ? null : costMicros / 1e6,
  prompt_tokens_details: {
    cached_tokens: usage.cachedInputTokens ?? 0,
    cache_write_tokens: usage.cacheWriteTokens ?? 0,
    audio_tokens: usage.inputAudioTokens ?? 0,
  },
  completion_tokens_details: {
    reasoning_tokens: usage.reasoningTokens ?? 0,
    audio_tokens: usage.outputAudioTokens ?? 0,
  },
})

/** Not OpenAI's: what its `finish_reason` says, in words. */
const warningsIn = ({ finish }: End) => {
  const warnings = warningsOf(finish)
  return warnings ? { warnings } : {}
}

/** An answer that was cut short is told as cut short, calls or not. */
const finishReason = ({ finish }: Pick<Alternative, 'finish'>, hasCalls: boolean) =>
  finish === 'stop' && hasCalls ? 'tool_calls' : finish

/** Where Google's own OpenAI-compatible API puts it, so that clients send it back: of any provider. */
const extraOf = (signature: string | undefined) =>
  signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } }

export function completionOf(generated: GeneratedText): object {
  const answers = [generated, ...(generated.alternatives ?? [])]
  return {
    ...headOf(generated, 'chat.completion'),
    choices: answers.map(choiceOf),
    usage: usageOf(generated),
    ...warningsIn(generated),
  }
}

function choiceOf(answer: Alternative, index: number): object {
  const { text, toolCalls = [], logprobs } = answer
  const hasCalls = toolCalls.length > 0
  const message = {
    role: 'assistant',
    content: text === '' && hasCalls ? null : text,
    refusal: null,
    ...(hasCalls ? { tool_calls: toolCalls.map(toolCall) } : {}),
  }
  const finish_reason = finishReason(answer, hasCalls)
  return { index, message, logprobs: logprobsOf(logprobs), finish_reason }
}

const logprobsOf = (tokens: Logprob[] | undefined) =>
  tokens === undefined ? null : { content: tokens, refusal: null }

const toolCall = ({ id, name, arguments: written, signature }: ToolCall) => ({
  id,
  type: 'function',
  function: { name, arguments: written },
  ...extraOf(signature),
})

/** Writes chunks from events; the first event is `begin`. */
export function createChunkWriter(begin: Begin, { includeUsage }: { includeUsage: boolean }) {
  const head = headOf(begin, 'chat.completion.chunk')
  let hasCalls = false
  const chunk = (delta: object, finish_reason: string | null = null, tokens?: Logprob[]) => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: logprobsOf(tokens), finish_reason }],
    ...(includeUsage ? { usage: null } : {}),
  })
  return (event: StreamEvent): object[] => {
    switch (event.type) {
      case 'begin':
        return [chunk({ role: 'assistant', content: '', refusal: null })]
      case 'text':
        return [chunk({ content: event.text }, null, event.logprobs)]
      case 'tool_call': {
        hasCalls = true
        const { index, id, name, signature } = event
        const begun = { index, id, type: 'function', function: { name, arguments: '' } }
        return [chunk({ tool_calls: [{ ...begun, ...extraOf(signature) }] })]
      }
      case 'tool_arguments': {
        const { index, text } = event
        return [chunk({ tool_calls: [{ index, function: { arguments: text } }] })]
      }
      case 'end': {
        const last = { ...chunk({}, finishReason(event, hasCalls)), ...warningsIn(event) }
        return includeUsage ? [last, { ...head, choices: [], usage: usageOf(event) }] : [last]
      }
      default:
        return event satisfies never
    }
  }
}
