import { splitSystem } from '#providers/conversation.ts'
import { toBase64 } from '#providers/media-encoding.ts'
import type { ContentPart, TextRequest } from '#providers/provider.ts'
import type { Block, MessagesBody } from './wire.ts'

/** The API has no default of its own. */
const defaultMaxTokens = 4096
const jsonHint = 'Answer with one valid JSON value and nothing else: no explanation, no code fence.'

export function messagesBody(request: TextRequest): MessagesBody {
  const { system, turns } = splitSystem(request, { jsonHint })
  const body: MessagesBody = {
    model: request.model,
    max_tokens: request.maxTokens ?? defaultMaxTokens,
    messages: turns.map(({ role, content }) => ({
      role,
      content: typeof content === 'string' ? content : content.map(block),
    })),
  }
  if (system !== undefined) body.system = system
  if (request.temperature !== undefined) body.temperature = request.temperature
  return body
}

const block = (part: ContentPart): Block =>
  part.type === 'text'
    ? { type: 'text', text: part.text }
    : {
        type: 'image',
        source: { type: 'base64', media_type: part.media.mimeType, data: toBase64(part.media) },
      }
