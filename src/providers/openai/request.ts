import { mediaIn, resultText } from '#providers/conversation.ts'
import { type FormPart, toDataUrl } from '#providers/media-encoding.ts'
import type {
  ContentPart,
  ImageRequest,
  Message,
  TextMessage,
  TextRequest,
  VideoRequest,
} from '#providers/provider.ts'
import { jsonHint, namesJson } from './json-mode.ts'
import { imageSize, videoSize } from './sizes.ts'
import type { ChatBody, ChatMessage, ChatPart, ImageBody } from './wire.ts'

/**
 * `compatible`: other servers with this protocol, most of which support only its older part.
 * `azure`: OpenAI's models at addresses that know that part only.
 */
export type Dialect = 'openai' | 'compatible' | 'azure'

export function chatBody(request: TextRequest): ChatBody {
  const messages: ChatBody['messages'] = request.systemPrompt
    ? [{ role: 'system', content: request.systemPrompt }]
    : []
  addMessages(messages, request.messages)
  const body: ChatBody = { model: request.model, messages }
  if (request.temperature !== undefined) body.temperature = request.temperature
  if (request.topP !== undefined) body.top_p = request.topP
  if (request.stop !== undefined) body.stop = request.stop
  if (request.maxTokens !== undefined) body.max_tokens = request.maxTokens
  if (request.reasoningEffort !== undefined) body.reasoning_effort = request.reasoningEffort
  addOptions(body, request)
  if (request.jsonSchema) {
    body.response_format = { type: 'json_schema', json_schema: request.jsonSchema }
  } else if (request.responseFormat === 'json') {
    body.response_format = { type: 'json_object' }
    if (
      !namesJson([...request.messages, { role: 'system', content: request.systemPrompt ?? '' }])
    ) {
      messages.unshift({ role: 'system', content: jsonHint })
    }
  }
  return request.tools ? { ...body, ...toolsOf(request) } : body
}

/** Servers that do not support one of these refuse it or ignore it. */
function addOptions(body: ChatBody, request: TextRequest) {
  if (request.frequencyPenalty !== undefined) body.frequency_penalty = request.frequencyPenalty
  if (request.presencePenalty !== undefined) body.presence_penalty = request.presencePenalty
  if (request.logitBias !== undefined) body.logit_bias = request.logitBias
  if (request.verbosity !== undefined) body.verbosity = request.verbosity
  if (request.choices !== undefined) body.n = request.choices
  if (request.tier !== undefined) body.service_tier = request.tier
  if (request.topLogprobs === undefined) return
  body.logprobs = true
  if (request.topLogprobs > 0) body.top_logprobs = request.topLogprobs
}

export const streamedChatBody = (request: TextRequest): ChatBody => ({
  ...chatBody(request),
  stream: true,
  // Without it, a stream does not report its usage.
  stream_options: { include_usage: true },
})

function toolsOf({ tools = [], toolChoice, parallelToolCalls }: TextRequest): Partial<ChatBody> {
  return {
    tools: tools.map(({ cache: _, ...tool }) => ({ type: 'function', function: tool })),
    ...(toolChoice === undefined
      ? {}
      : {
          tool_choice:
            typeof toolChoice === 'string'
              ? toolChoice
              : { type: 'function', function: { name: toolChoice.name } },
        }),
    ...(parallelToolCalls === undefined ? {} : { parallel_tool_calls: parallelToolCalls }),
  }
}

/** Results of functions are text here: their pictures follow in a message, after all results. */
function addMessages(sent: ChatMessage[], messages: readonly Message[]) {
  let shown: ChatPart[] = []
  const show = () => {
    if (shown.length > 0) sent.push({ role: 'user', content: shown })
    shown = []
  }
  for (const message of messages) {
    if (message.role !== 'tool') {
      show()
      sent.push(chatMessage(message))
      continue
    }
    const media = mediaIn(message.content).map(chatPart)
    sent.push({
      role: 'tool',
      tool_call_id: message.toolCallId,
      content: resultText(message) || (media.length > 0 ? '(see below)' : ''),
    })
    const of = `The files that the call ${message.toolCallId} returned:`
    if (media.length > 0) shown.push({ type: 'text', text: of }, ...media)
  }
  show()
}

function chatMessage(message: TextMessage): ChatMessage {
  const { role, content, toolCalls } = message
  const said = typeof content === 'string' ? content : content.map(chatPart)
  if (!toolCalls?.length) return { role, content: said }
  return {
    role,
    content: said.length === 0 ? null : said,
    tool_calls: toolCalls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    })),
  }
}

function chatPart(part: ContentPart): ChatPart {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const url = toDataUrl(part.media)
  return part.type === 'image'
    ? { type: 'image_url', image_url: { url } }
    : { type: 'file', file: { filename: part.name ?? 'document.pdf', file_data: url } }
}

export function imageBody(request: ImageRequest): ImageBody {
  const size = imageSize(request)
  return {
    model: request.model,
    prompt: request.prompt,
    n: 1,
    ...(size === undefined ? {} : { size }),
    ...(request.quality === undefined ? {} : { quality: request.quality }),
    ...request.options,
    // Newer models refuse the parameter, whoever passes it on to them. An address is read as well.
    ...(request.model.includes('dall-e') ? { response_format: 'b64_json' as const } : {}),
  }
}

/** Editing a given picture has an endpoint of its own, which takes a form. */
export function imageEditForm(request: ImageRequest): FormPart[] {
  const parts: FormPart[] = Object.entries(imageBody(request)).map(([name, value]) => ({
    name,
    value: String(value),
  }))
  const { image, references = [], mask } = request
  const name = references.length > 0 ? 'image[]' : 'image'
  for (const file of image ? [image, ...references] : []) parts.push({ name, file })
  if (mask) parts.push({ name: 'mask', file: mask })
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
  for (const [name, value] of Object.entries(request.options ?? {})) {
    parts.push({ name, value: String(value) })
  }
  if (request.image) parts.push({ name: 'input_reference', file: request.image })
  return parts
}
