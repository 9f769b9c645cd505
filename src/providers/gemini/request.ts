import { splitSystem } from '#providers/conversation.ts'
import { toBase64 } from '#providers/media-encoding.ts'
import type {
  ContentPart,
  ImageRequest,
  MediaInput,
  TextMessage,
  TextRequest,
  VideoRequest,
} from '#providers/provider.ts'
import type { GenerateBody, Part, VeoBody } from './wire.ts'

export function textBody(request: TextRequest): GenerateBody {
  const { system, turns } = splitSystem(request)
  const { temperature, maxTokens, responseFormat } = request
  return {
    contents: turns.map(({ role, content }) => ({
      role: role === 'assistant' ? 'model' : 'user',
      parts: parts(content),
    })),
    ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    generationConfig: {
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
      ...(responseFormat === 'json' ? { responseMimeType: 'application/json' } : {}),
    },
  }
}

const parts = (content: TextMessage['content']): Part[] =>
  typeof content === 'string' ? [{ text: content }] : content.map(part)

const part = (given: ContentPart): Part =>
  given.type === 'text' ? { text: given.text } : inline(given.media)

const inline = (media: MediaInput): Part => ({
  inlineData: { mimeType: media.mimeType, data: toBase64(media) },
})

export function imageBody({ prompt, image, aspectRatio, sampleSize }: ImageRequest): GenerateBody {
  const imageConfig = {
    ...(aspectRatio === undefined ? {} : { aspectRatio }),
    ...(sampleSize === undefined ? {} : { imageSize: sampleSize }),
  }
  return {
    contents: [{ role: 'user', parts: [{ text: prompt }, ...(image ? [inline(image)] : [])] }],
    generationConfig: {
      responseModalities: ['TEXT', 'IMAGE'],
      ...(Object.keys(imageConfig).length > 0 ? { imageConfig } : {}),
    },
  }
}

/** Veo always makes sound and takes no switch for it; its pictures are not `inlineData`. */
export function veoBody(request: VideoRequest): VeoBody {
  const { prompt, image, aspectRatio, seconds, resolution } = request
  const picture = image && { bytesBase64Encoded: toBase64(image), mimeType: image.mimeType }
  return {
    instances: [{ prompt, ...(picture ? { image: picture } : {}) }],
    parameters: {
      ...(aspectRatio === undefined ? {} : { aspectRatio }),
      ...(seconds === undefined ? {} : { durationSeconds: seconds }),
      ...(resolution === undefined ? {} : { resolution }),
    },
  }
}
