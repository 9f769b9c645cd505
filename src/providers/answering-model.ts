import { isRecord } from '#core/record.ts'
import { type Json, textOf } from './json-shape.ts'

const maxLength = 200

/**
 * The model that answered, as the provider names it. OpenAI and Anthropic put it in `model`, at the
 * top of an answer and inside the first event of a stream; Gemini puts it in `modelVersion`.
 */
export function answeringModel(json: Json): { answeredBy?: string } {
  const inner = [json.message, json.response].find(isRecord)
  const named = textOf(json.model) ?? textOf(json.modelVersion) ?? textOf(inner?.model)
  return named === undefined ? {} : { answeredBy: named.slice(0, maxLength) }
}
