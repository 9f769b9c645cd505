// The request of a text call to a provider, and an estimate of its input tokens.
import type { TextCall } from '#core/generation.ts'
import type { Message, TextRequest } from '#providers/provider.ts'

export function requestOf(
  call: TextCall,
  { model, messages, maxTokens }: Pick<TextRequest, 'model' | 'messages' | 'maxTokens'>,
): TextRequest {
  return {
    model,
    messages,
    maxTokens,
    systemPrompt: call.systemPrompt,
    temperature: call.temperature,
    stop: call.stop,
    topP: call.topP,
    tools: call.tools,
    toolChoice: call.toolChoice,
    parallelToolCalls: call.parallelToolCalls,
    webSearch: call.webSearch,
    responseFormat: call.responseFormat,
    jsonSchema: call.jsonSchema,
    reasoningEffort: call.reasoningEffort,
    showThoughts: call.showThoughts,
    frequencyPenalty: call.frequencyPenalty,
    presencePenalty: call.presencePenalty,
    logitBias: call.logitBias,
    verbosity: call.verbosity,
    topLogprobs: call.topLogprobs,
    choices: call.choices,
    ...(call.tier ? { tier: call.tier } : {}),
  }
}

export const charactersPerToken = 4
/** A picture and a document count as this much text. */
const charactersOf = { image: 4000, document: 40_000 }

/** Estimates the provider's count, in case it reports none. */
export function inputTokensOf({ systemPrompt, tools }: TextCall, messages: Message[]): number {
  let characters = systemPrompt?.length ?? 0
  if (tools) characters += JSON.stringify(tools).length
  for (const message of messages) {
    const { content } = message
    if (typeof content === 'string') characters += content.length
    else
      for (const part of content)
        characters += part.type === 'text' ? part.text.length : charactersOf[part.type]
    if (message.role === 'tool') continue
    for (const { text } of message.thoughts ?? []) characters += text.length
    for (const { name, arguments: text } of message.toolCalls ?? [])
      characters += name.length + text.length
  }
  return Math.ceil(characters / charactersPerToken)
}

/** White space alone is no content. */
export const isText = (text: string): boolean => /\S/.test(text)
