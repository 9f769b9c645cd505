import { isRecord } from '#core/record.ts'
import {
  argumentsOf,
  contentText,
  hasWords,
  mediaIn,
  splitSystem,
  systemText,
  type Turn,
} from '#providers/conversation.ts'
import { parseJson } from '#providers/json-shape.ts'
import { toBase64 } from '#providers/media-encoding.ts'
import type {
  Content,
  ContentPart,
  ImageRequest,
  MediaInput,
  TextRequest,
  ToolResult,
  VideoRequest,
} from '#providers/provider.ts'
import { refuseOptions, refuseSearch } from '#providers/text-options.ts'
import type { GenerateBody, Part, VeoBody } from './wire.ts'

export function textBody(request: TextRequest): GenerateBody {
  refuseOptions({ name: 'gemini' }, request, ['frequencyPenalty', 'presencePenalty'])
  refuseSearch({ name: 'gemini' }, request, 'gemini')
  const { system: instructions, turns } = splitSystem(request)
  const system = systemText(instructions)
  const generationConfig = configOf(request)
  return {
    contents: turns.map(contentOf),
    ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    ...(Object.keys(generationConfig).length === 0 ? {} : { generationConfig }),
    ...toolsOf(request),
  }
}

function configOf(request: TextRequest): NonNullable<GenerateBody['generationConfig']> {
  const { temperature, topP, stop, maxTokens, reasoningEffort } = request
  const { responseFormat, jsonSchema, frequencyPenalty, presencePenalty } = request
  return {
    ...(frequencyPenalty === undefined ? {} : { frequencyPenalty }),
    ...(presencePenalty === undefined ? {} : { presencePenalty }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(stop === undefined ? {} : { stopSequences: stop }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(reasoningEffort === undefined && !request.showThoughts
      ? {}
      : { thinkingConfig: thinkingOf(request) }),
    ...(jsonSchema || responseFormat === 'json' ? { responseMimeType: 'application/json' } : {}),
    ...(jsonSchema ? { responseJsonSchema: jsonSchema.schema } : {}),
  }
}

const thinkingOf = ({ reasoningEffort, showThoughts }: TextRequest) => ({
  ...(reasoningEffort === undefined ? {} : { thinkingLevel: reasoningEffort.toUpperCase() }),
  ...(showThoughts ? { includeThoughts: true as const } : {}),
})

function contentOf(turn: Turn): GenerateBody['contents'][number] {
  if (turn.role === 'user') return { role: 'user', parts: parts(turn.content) }
  if (turn.role === 'assistant') {
    const said = parts(turn.content).filter((part) => !('text' in part) || part.text.trim() !== '')
    const calls = turn.toolCalls.map((call) => ({
      functionCall: { name: call.name, args: argumentsOf(call), id: call.id },
      thoughtSignature: isOwnSignature(call.signature) ? call.signature : unsigned,
    }))
    return { role: 'model', parts: [...said, ...calls] }
  }
  if (turn.role === 'system') return { role: 'user', parts: parts(turn.content) }
  return { role: 'user', parts: turn.results.map(responsePart) }
}

function responsePart(result: ToolResult & { name: string }): Part {
  const { name, toolCallId, content, isError } = result
  const text = contentText(content)
  const media = mediaIn(content).map((part) => inline(part.media))
  return {
    functionResponse: {
      name,
      response: isError ? { error: text } : responseOf(text),
      id: toolCallId,
      ...(media.length > 0 ? { parts: media } : {}),
    },
  }
}

/** Google's documented value for a call that has lost its signature or never had one. */
const unsigned = 'skip_thought_signature_validator'

/** Google's are base64; those of other adapters, which arrive after a fallback, contain a dot. */
const isOwnSignature = (signature: string | undefined): signature is string =>
  signature !== undefined && !signature.includes('.')

/** The API accepts only an object. */
function responseOf(content: string): object {
  const value = parseJson(content)
  return isRecord(value) ? value : { result: value === undefined ? content : value }
}

const modes = { auto: 'AUTO', required: 'ANY', none: 'NONE' } as const

function toolsOf({ tools = [], toolChoice, webSearch }: TextRequest): Partial<GenerateBody> {
  if (webSearch) return { tools: [{ googleSearch: webSearch.tool }] }
  if (tools.length === 0) return {}
  const declared = tools.map(({ name, description, parameters }) => ({
    name,
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parametersJsonSchema: parameters }),
  }))
  const functionCallingConfig =
    typeof toolChoice === 'object'
      ? { mode: 'ANY' as const, allowedFunctionNames: [toolChoice.name] }
      : toolChoice && { mode: modes[toolChoice] }
  return {
    tools: [{ functionDeclarations: declared }],
    ...(functionCallingConfig ? { toolConfig: { functionCallingConfig } } : {}),
  }
}

const parts = (content: Content): Part[] =>
  typeof content === 'string' ? [{ text: content }] : content.filter(hasWords).map(part)

const part = (given: ContentPart): Part =>
  given.type === 'text' ? { text: given.text } : inline(given.media)

const inline = (media: MediaInput) => ({
  inlineData: { mimeType: media.mimeType, data: toBase64(media) },
})

export function imageBody(request: ImageRequest): GenerateBody {
  const { prompt, image, references = [], aspectRatio, sampleSize, options } = request
  const pictures = image ? [image, ...references] : []
  const imageConfig = {
    ...(aspectRatio === undefined ? {} : { aspectRatio }),
    ...(sampleSize === undefined ? {} : { imageSize: sampleSize }),
  }
  return {
    contents: [{ role: 'user', parts: [{ text: prompt }, ...pictures.map(inline)] }],
    generationConfig: {
      responseModalities: ['TEXT', 'IMAGE'],
      ...(options?.seed === undefined ? {} : { seed: options.seed }),
      ...(Object.keys(imageConfig).length > 0 ? { imageConfig } : {}),
    },
  }
}

/** Veo always makes sound and has no option for it. It does not take pictures as `inlineData`. */
export function veoBody(request: VideoRequest): VeoBody {
  const { prompt, image, aspectRatio, seconds, resolution, options } = request
  const negativePrompt = options?.negative_prompt
  const picture = image && { bytesBase64Encoded: toBase64(image), mimeType: image.mimeType }
  return {
    instances: [{ prompt, ...(picture ? { image: picture } : {}) }],
    parameters: {
      ...(aspectRatio === undefined ? {} : { aspectRatio }),
      ...(seconds === undefined ? {} : { durationSeconds: seconds }),
      ...(resolution === undefined ? {} : { resolution }),
      ...(negativePrompt === undefined ? {} : { negativePrompt }),
    },
  }
}
