import { type FormPart, toDataUrl } from '#providers/media-encoding.ts'
import type {
  ContentPart,
  ImageRequest,
  TextMessage,
  TextRequest,
  VideoRequest,
} from '#providers/provider.ts'
import { imageSize, videoSize } from './sizes.ts'
import type { ChatBody, ChatPart, ImageBody } from './wire.ts'

/** `compatible`: the older names that other servers of this protocol still expect. */
export type Dialect = 'openai' | 'compatible'

export function chatBody(request: TextRequest, dialect: Dialect): ChatBody {
  const messages: ChatBody['messages'] = request.systemPrompt
    ? [{ role: 'system', content: request.systemPrompt }]
    : []
  for (const message of request.messages) messages.push(chatMessage(message))
  const body: ChatBody = { model: request.model, messages }
  if (request.temperature !== undefined) body.temperature = request.temperature
  if (request.maxTokens !== undefined) {
    body[dialect === 'openai' ? 'max_completion_tokens' : 'max_tokens'] = request.maxTokens
  }
  if (request.responseFormat === 'json') body.response_format = { type: 'json_object' }
  return body
}

const chatMessage = ({ role, content }: TextMessage): ChatBody['messages'][number] => ({
  role,
  content: typeof content === 'string' ? content : content.map(chatPart),
})

const chatPart = (part: ContentPart): ChatPart =>
  part.type === 'text'
    ? { type: 'text', text: part.text }
    : { type: 'image_url', image_url: { url: toDataUrl(part.media) } }

export function imageBody(request: ImageRequest, dialect: Dialect): ImageBody {
  const size = imageSize(request)
  return {
    model: request.model,
    prompt: request.prompt,
    n: 1,
    ...(size === undefined ? {} : { size }),
    ...(request.quality === undefined ? {} : { quality: request.quality }),
    // OpenAI's own models always answer with bytes and refuse the parameter.
    ...(dialect === 'compatible' ? { response_format: 'b64_json' as const } : {}),
  }
}

/** Editing a given picture is another operation, and takes a form. */
export function imageEditForm(request: ImageRequest, dialect: Dialect): FormPart[] {
  const parts: FormPart[] = Object.entries(imageBody(request, dialect)).map(([name, value]) => ({
    name,
    value: String(value),
  }))
  if (request.image) parts.push({ name: 'image', file: request.image })
  return parts
}

export function videoForm(request: VideoRequest): FormPart[] {
  const size = videoSize(request)
  const parts: FormPart[] = [
    { name: 'model', value: request.model },
    { name: 'prompt', value: request.prompt },
  ]
  if (request.seconds !== undefined) {
    parts.push({ name: 'seconds', value: String(request.seconds) })
  }
  if (size !== undefined) parts.push({ name: 'size', value: size })
  if (request.image) parts.push({ name: 'input_reference', file: request.image })
  return parts
}
