// What a text call asks of a provider: the conversation with its pictures fetched, and how many
// tokens it is expected to use.
import { type RawPart, readContent } from '#core/chat-content.ts'
import type { CallMessage, TextCall } from '#core/generation.ts'
import { abortSignalOf, type StopSignal } from '#core/stop.ts'
import type { MediaInput, Message, TextMessage, TextRequest } from '#providers/provider.ts'

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
    responseFormat: call.responseFormat,
    jsonSchema: call.jsonSchema,
    reasoningEffort: call.reasoningEffort,
    frequencyPenalty: call.frequencyPenalty,
    presencePenalty: call.presencePenalty,
    logitBias: call.logitBias,
    verbosity: call.verbosity,
    topLogprobs: call.topLogprobs,
    choices: call.choices,
  }
}

export const charactersPerToken = 4
/** A picture counts as this much text. */
const charactersPerPicture = 4000

/** An estimate of what the provider will count, where it does not say. */
export function inputTokensOf({ systemPrompt, tools }: TextCall, messages: Message[]): number {
  let characters = systemPrompt?.length ?? 0
  if (tools) characters += JSON.stringify(tools).length
  for (const message of messages) {
    const { content } = message
    if (typeof content === 'string') characters += content.length
    else
      for (const part of content)
        characters += part.type === 'text' ? part.text.length : charactersPerPicture
    if (message.role === 'tool' || !message.toolCalls) continue
    for (const { name, arguments: text } of message.toolCalls)
      characters += name.length + text.length
  }
  return Math.ceil(characters / charactersPerToken)
}

type LoadImage = (url: string, signal: AbortSignal) => Promise<MediaInput>

/** Nearly every message is plain text: then there is nothing to wait for, and no promise. */
export function readMessages(
  messages: CallMessage[],
  loadImage: LoadImage,
  signal: StopSignal,
): Message[] | Promise<Message[]> {
  const read = messages.map(readMessage)
  if (read.every(isPlain)) return read
  const abort = abortSignalOf(signal)
  const load = async (part: RawPart) =>
    part.type === 'text'
      ? part
      : ({ type: 'image', media: await loadImage(part.url, abort) } as const)
  return Promise.all(
    read.map(
      async (message): Promise<Message> =>
        isPlain(message)
          ? message
          : { ...message, content: await Promise.all(message.content.map(load)) },
    ),
  )
}

type Pictured = Omit<TextMessage, 'content'> & { content: RawPart[] }

/** What functions were asked for, and what they answered, stays as it is. */
function readMessage(message: CallMessage): Message | Pictured {
  if (message.role === 'tool') return message
  const { role } = message
  const content = readContent(message.content)
  const calls = 'toolCalls' in message ? { toolCalls: message.toolCalls } : undefined
  return typeof content === 'string' ? { role, content, ...calls } : { role, content, ...calls }
}

const isPlain = (message: Message | Pictured): message is Message =>
  typeof message.content === 'string'
