// An answer in the format of OpenAI's Responses API: a list of items, each with its own id.
import type { KeptResponse } from '#api/kept-responses.ts'
import type { Failure } from '#core/errors.ts'
import type { GeneratedText } from '#core/generation.ts'
import { prefixed } from '#core/ids.ts'
import type { Hosted, Logprob, Thought, ToolCall } from '#core/text-stream.ts'
import { totalTokens } from '#core/usage.ts'
import { inputOf, noForms, type ToolForms } from './tool-forms.ts'

export type Begin = Pick<GeneratedText, 'id' | 'createdAtMs' | 'modelId'>
export type End = Pick<GeneratedText, 'finish' | 'usage' | 'costMicros'>

type Status = 'in_progress' | 'completed' | 'incomplete'

export type MessageItem = ReturnType<typeof messageItem>
export type CallItem = ReturnType<typeof callItem>
export type ThoughtItem = ReturnType<typeof thoughtItem>
/** A search that the vendor made. */
export type SearchItem = { id: string; type: 'web_search_call' } & Record<string, unknown>
export type Item = MessageItem | CallItem | ThoughtItem | SearchItem

export const textPart = (text: string, logprobs: Logprob[] = [], annotations: object[] = []) => ({
  type: 'output_text' as const,
  annotations,
  logprobs,
  text,
})

export const messageItem = (
  id: string,
  content: ReturnType<typeof textPart>[],
  status: Status,
) => ({
  id,
  type: 'message' as const,
  status,
  role: 'assistant' as const,
  content,
})

type Call = Pick<ToolCall, 'id' | 'name' | 'arguments'>

/** In the form in which the client declared what is called. */
export function callItem(id: string, call: Call, status: Status, forms: ToolForms = noForms) {
  const form = forms.get(call.name)
  const { name = call.name, namespace } = form ?? {}
  const head = { id, status, call_id: call.id }
  const named = namespace === undefined ? { name } : { name, namespace }
  switch (form?.kind) {
    case 'custom': {
      const input = inputOf(call.arguments)
      return { ...head, type: 'custom_tool_call' as const, input, ...named }
    }
    case 'search': {
      const found = { execution: 'client', arguments: parsed(call.arguments) }
      return { ...head, type: 'tool_search_call' as const, ...found }
    }
    default: {
      const { arguments: written } = call
      return { ...head, type: 'function_call' as const, arguments: written, ...named }
    }
  }
}

function parsed(written: string): unknown {
  try {
    return JSON.parse(written)
  } catch {
    return {}
  }
}

/** Clients send it back before what it led to, as they do OpenAI's own. */
export const thoughtItem = (id: string, { text, signature }: Thought) => ({
  id,
  type: 'reasoning' as const,
  summary: text === '' ? [] : [{ type: 'summary_text' as const, text }],
  ...(signature === undefined ? {} : { encrypted_content: signature }),
})

/** Ids of the items of one answer, by their position in it. */
export const itemIds = ({ id }: Begin) => ({
  message: (index: number) => prefixed('msg_', `${id}-${index}`),
  call: (index: number) => prefixed('fc_', `${id}-${index}`),
  thought: (index: number) => prefixed('rs_', `${id}-${index}`),
  search: (index: number) => prefixed('ws_', `${id}-${index}`),
})

export const searchItem = (id: string, item: Record<string, unknown>): SearchItem => ({
  ...item,
  id,
  type: 'web_search_call',
})

/** Which of the words a search found; the vendor wrote them in the parts of its answer. */
function annotationsIn(hosted: readonly Hosted[]): object[] {
  return hosted.flatMap(({ item }) =>
    Array.isArray(item.content)
      ? item.content.flatMap((part: { annotations?: object[] }) => part.annotations ?? [])
      : [],
  )
}

export function itemsOf(generated: GeneratedText, forms: ToolForms = noForms): Item[] {
  const ids = itemIds(generated)
  const status = generated.finish === 'stop' ? 'completed' : 'incomplete'
  const { text, thoughts = [], toolCalls = [], logprobs, hosted = [] } = generated
  const items: Item[] = thoughts.map((thought, index) => thoughtItem(ids.thought(index), thought))
  for (const { form, item } of hosted) {
    if (form !== 'openai' || item.type !== 'web_search_call') continue
    items.push(searchItem(ids.search(items.length), item))
  }
  if (text !== '' || toolCalls.length === 0) {
    const part = textPart(text, logprobs, annotationsIn(hosted))
    items.push(messageItem(ids.message(items.length), [part], status))
  }
  for (const call of toolCalls) {
    const { signature } = call
    if (signature !== undefined)
      items.push(thoughtItem(ids.thought(items.length), { text: '', signature }))
    items.push(callItem(ids.call(items.length), call, status, forms))
  }
  return items
}

const fixed = {
  object: 'response',
  background: false,
  conversation: null,
  error: null,
  service_tier: 'default',
  truncation: 'disabled',
}

const headOf = (begin: Begin, echo: object) => ({
  id: prefixed('resp_', begin.id),
  created_at: Math.floor(begin.createdAtMs / 1000),
  model: begin.modelId,
  ...fixed,
  ...echo,
})

export const begunResponse = (begin: Begin, echo: object) => ({
  ...headOf(begin, echo),
  status: 'in_progress',
  incomplete_details: null,
  output: [],
  usage: null,
})

export const failedResponse = (begin: Begin, echo: object, failure: Failure) => ({
  ...begunResponse(begin, echo),
  status: 'failed',
  error: { code: codeOf(failure), message: failure.message },
})

/** Agents repeat what ends in any other way, and an answer like this one would be paid again. */
const codeOf = ({ code }: Failure) =>
  code === 'CONTENT_REJECTED' || code === 'EMPTY_ANSWER' ? 'invalid_prompt' : 'server_error'

export const endedResponse = (
  begin: Begin,
  end: End,
  items: Item[],
  echo: object,
): KeptResponse['response'] => ({
  ...headOf(begin, echo),
  status: end.finish === 'stop' ? 'completed' : 'incomplete',
  incomplete_details: end.finish === 'stop' ? null : { reason: 'max_output_tokens' },
  output: items,
  usage: usageOf(end),
})

/** `cost` (in US dollars) is not part of OpenAI's format: see chat-answer.ts. */
const usageOf = ({ usage, costMicros }: End) => ({
  input_tokens: usage.inputTokens,
  input_tokens_details: {
    cached_tokens: usage.cachedInputTokens ?? 0,
    cache_write_tokens: usage.cacheWriteTokens ?? 0,
  },
  output_tokens: usage.outputTokens,
  output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
  total_tokens: totalTokens(usage),
  cost: costMicros === null ? null : costMicros / 1e6,
})
