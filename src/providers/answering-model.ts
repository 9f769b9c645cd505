import { isRecord } from '#core/record.ts'
import { type Json, textOf } from './json-shape.ts'

const maxLength = 200

/**
 * The model that answered, as the provider names it. OpenAI and Anthropic put it in `model`, at the
 * top of an answer and inside the first event of a stream; Gemini puts it in `modelVersion`.
 */
export function answeringModel(json: Json): { answeredBy?: string } {
  const named = textOf(json.model) ?? textOf(json.modelVersion) ?? innerModel(json)
  return named === undefined ? {} : { answeredBy: named.slice(0, maxLength) }
}

const innerModel = (json: Json): string | undefined =>
  textOf([json.message, json.response].find(isRecord)?.model)
