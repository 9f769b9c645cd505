import { warningsOf } from '#core/answer-warnings.ts'
import type { GeneratedText, StreamEvent } from '#core/generation.ts'
import { prefixed } from '#core/ids.ts'
import type { Alternative, Logprob, Thought, ToolCall } from '#core/text-stream.ts'
import { totalTokens } from '#core/usage.ts'
import { createThoughtReader, packThoughts } from '../thoughts.ts'
import { inputOf, noForms, type ToolForms } from './tool-forms.ts'

type Begin = Pick<GeneratedText, 'id' | 'createdAtMs' | 'modelId'>
type End = Pick<GeneratedText, 'finish' | 'usage' | 'costMicros'>

const headOf = (begin: Begin, object: 'chat.completion' | 'chat.completion.chunk') => ({
  id: prefixed('chatcmpl-', begin.id),
  object,
  created: Math.floor(begin.createdAtMs / 1000),
  model: begin.modelId,
})

/** `cost` (in US dollars) is not OpenAI's, but other gateways use it; null if no price is known. */
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

const nothing = {}

/** Not part of OpenAI's format: says in words what `finish_reason` means. */
const warningsIn = ({ finish }: End) => {
  const warnings = warningsOf(finish)
  return warnings ? { warnings } : nothing
}

/** An answer that was cut short is reported as such, even if it has calls. */
const finishReason = ({ finish }: Pick<Alternative, 'finish'>, hasCalls: boolean) =>
  finish === 'stop' && hasCalls ? 'tool_calls' : finish

/** Any provider's signature goes where Google's compatible API has it, so clients send it back. */
const extraOf = (signature: string | undefined) =>
  signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } }

export function completionOf(generated: GeneratedText, forms: ToolForms = noForms): object {
  const { alternatives } = generated
  const answers = alternatives ? [generated, ...alternatives] : [generated]
  return {
    ...headOf(generated, 'chat.completion'),
    choices: answers.map((answer, index) => choiceOf(answer, index, forms)),
    usage: usageOf(generated),
    ...warningsIn(generated),
  }
}

function choiceOf(answer: Alternative, index: number, forms: ToolForms): object {
  const { text, thoughts, toolCalls, logprobs } = answer
  const calls = toolCalls?.length ? { tool_calls: callsOf(toolCalls, thoughts, forms) } : undefined
  const content = text === '' && calls ? null : text
  const message = { role: 'assistant', content, refusal: null, ...reasoningOf(thoughts) }
  return {
    index,
    message: calls ? { ...message, ...calls } : message,
    logprobs: logprobsOf(logprobs),
    finish_reason: finishReason(answer, calls !== undefined),
  }
}

/** Not part of OpenAI's format; other servers call the words of thoughts so, and clients show them. */
function reasoningOf(thoughts: readonly Thought[] | undefined) {
  if (!thoughts) return nothing
  const words = thoughts.map(({ text }) => text).join('')
  return words === '' ? nothing : { reasoning_content: words }
}

const callsOf = (
  calls: readonly ToolCall[],
  thoughts: readonly Thought[] | undefined,
  forms: ToolForms,
) =>
  calls.map(({ signature, ...call }, index) =>
    toolCall(
      { ...call, signature: signature ?? (index === 0 ? packThoughts(thoughts) : undefined) },
      forms,
    ),
  )

const logprobsOf = (tokens: Logprob[] | undefined) =>
  tokens === undefined ? null : { content: tokens, refusal: null }

const toolCall = ({ id, name, arguments: written, signature }: ToolCall, forms: ToolForms) => ({
  id,
  ...(forms.get(name)?.kind === 'custom'
    ? { type: 'custom', custom: { name, input: inputOf(written) } }
    : { type: 'function', function: { name, arguments: written } }),
  ...extraOf(signature),
})

type ChunkOptions = {
  includeUsage: boolean
  /** How many answers were requested. */
  choices: number
  forms?: ToolForms
}

type Begun = Extract<StreamEvent, { type: 'tool_call' }>
type Written = Extract<StreamEvent, { type: 'tool_arguments' }>

/** The input of calls that take plain text: it is known once its JSON is whole. */
function createInputs(forms: ToolForms) {
  const open = new Map<string, { choice: number; index: number; written: string }>()
  const keyOf = ({ choice = 0, index }: Begun | Written) => `${choice} ${index}`
  return {
    /** False if it is a call of another kind. */
    begin(call: Begun): boolean {
      if (forms.get(call.name)?.kind !== 'custom') return false
      open.set(keyOf(call), { choice: call.choice ?? 0, index: call.index, written: '' })
      return true
    },
    add(piece: Written): boolean {
      const call = open.get(keyOf(piece))
      if (call) call.written += piece.text
      return call !== undefined
    },
    /** Each call with its index, by the answer that it belongs to. */
    ends: () =>
      [...open.values()].map(({ choice, index, written }) => ({
        choice,
        call: { index, custom: { input: inputOf(written) } },
      })),
  }
}

/** Writes chunks from events; the first event is `begin`. */
export function createChunkWriter(
  begin: Begin,
  { includeUsage, choices, forms = noForms }: ChunkOptions,
) {
  const head = headOf(begin, 'chat.completion.chunk')
  const withCalls = new Set<number>()
  const thought = createThoughtReader()
  const inputs = createInputs(forms)
  const chunk = (index: number, delta: object, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index, delta, logprobs: null as object | null, finish_reason }],
    ...(includeUsage ? { usage: null } : {}),
  })
  const finished = (index: number, finish: Alternative['finish']) =>
    chunk(index, {}, finishReason({ finish }, withCalls.has(index)))

  function beginCall(event: Begun): object[] {
    const { choice = 0, index, id, name } = event
    const signature =
      event.signature ?? (withCalls.size === 0 ? packThoughts(thought.thoughts()) : undefined)
    withCalls.add(choice)
    const begun = inputs.begin(event)
      ? { index, id, type: 'custom', custom: { name, input: '' } }
      : { index, id, type: 'function', function: { name, arguments: '' } }
    return [chunk(choice, { tool_calls: [{ ...begun, ...extraOf(signature) }] })]
  }

  function finish(event: Extract<StreamEvent, { type: 'end' }>): object[] {
    const texts = inputs.ends().map(({ choice, call }) => chunk(choice, { tool_calls: [call] }))
    const others = [...(event.otherFinishes ?? [])].map((end) => finished(...end))
    const ends = [...texts, { ...finished(0, event.finish), ...warningsIn(event) }, ...others]
    return includeUsage ? [...ends, { ...head, choices: [], usage: usageOf(event) }] : ends
  }

  return (event: StreamEvent): object[] => {
    switch (event.type) {
      case 'begin':
        return Array.from({ length: choices }, (_, index) =>
          chunk(index, { role: 'assistant', content: '', refusal: null }),
        )
      case 'text': {
        const { choice = 0, text, logprobs } = event
        const written = chunk(choice, { content: text })
        for (const one of written.choices) one.logprobs = logprobsOf(logprobs)
        return [written]
      }
      case 'hosted':
        return []
      case 'thought':
        thought.read(event)
        return event.text === ''
          ? []
          : [chunk(event.choice ?? 0, { reasoning_content: event.text })]
      case 'tool_call':
        return beginCall(event)
      case 'tool_arguments': {
        if (inputs.add(event)) return []
        const { choice = 0, index, text } = event
        return [chunk(choice, { tool_calls: [{ index, function: { arguments: text } }] })]
      }
      case 'end':
        return finish(event)
      default:
        return event satisfies never
    }
  }
}
