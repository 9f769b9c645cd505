import { isRecord } from '#core/record.ts'

export type Part =
  | { text: string }
  | { inlineData: { mimeType: string; data: string } }
  | { functionCall: { name: string; args: object; id?: string }; thoughtSignature: string }
  | {
      functionResponse: {
        name: string
        response: object
        id?: string
        parts?: { inlineData: { mimeType: string; data: string } }[]
      }
    }

export type GenerateBody = {
  contents: { role: 'user' | 'model'; parts: Part[] }[]
  systemInstruction?: { parts: Part[] }
  tools?: (
    | {
        functionDeclarations: {
          name: string
          description?: string
          parametersJsonSchema?: object
        }[]
      }
    | { googleSearch: object }
  )[]
  toolConfig?: {
    functionCallingConfig: { mode: 'AUTO' | 'ANY' | 'NONE'; allowedFunctionNames?: string[] }
  }
  generationConfig?: {
    temperature?: number
    topP?: number
    frequencyPenalty?: number
    presencePenalty?: number
    stopSequences?: string[]
    maxOutputTokens?: number
    thinkingConfig?: { thinkingLevel?: string; includeThoughts?: true }
    responseMimeType?: 'application/json'
    responseJsonSchema?: object
    seed?: number
    responseModalities?: ['TEXT', 'IMAGE']
    imageConfig?: { aspectRatio?: string; imageSize?: string }
  }
}

export type VeoBody = {
  instances: [{ prompt: string; image?: { bytesBase64Encoded: string; mimeType: string } }]
  parameters: {
    aspectRatio?: string
    durationSeconds?: number
    resolution?: string
    negativePrompt?: string
  }
}

export type Generated = {
  candidates?: unknown
  promptFeedback?: unknown
  usageMetadata?: unknown
  responseId?: unknown
}

export type Operation = { name: string; done?: unknown; error?: unknown; response?: unknown }

/** The answer to a blocked prompt has no candidates, but says why it was blocked. */
export const isGenerated = (value: unknown): value is Generated =>
  isRecord(value) && (Array.isArray(value.candidates) || isRecord(value.promptFeedback))

export const isOperation = (value: unknown): value is Operation =>
  isRecord(value) && isOperationName(value.name)

/** The name becomes the path of every poll, so nothing in it may lead elsewhere. */
export const isOperationName = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 512 && /^\w[\w.-]*(?:\/\w[\w.-]*)*$/.test(value)
