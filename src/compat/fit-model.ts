// A call fitted to the model that is to answer it. Agents send the same request to every model: an
// effort that it lacks, more tokens than it can write, pictures that a function returned.
import { checkCapabilities, chooseModel } from '#api/model-choice.ts'
import type { Capabilities, Catalogue } from '#core/catalogue.ts'
import { countDocuments, countImages, type RawPart, RawParts } from '#core/chat-content.ts'
import { Failure } from '#core/errors.ts'
import type { CallMessage, TextCall } from '#core/generation.ts'
import { type ReasoningEffort, reasoningEfforts } from '#core/text-stream.ts'

type Asked = Omit<TextCall, 'principal'>

/** Throws a Failure if the model cannot honour the request and what it lacks changes the answer. */
export function fitToModel(catalogue: Catalogue, asked: Asked): Asked {
  const { model } = chooseModel(catalogue, asked.modelId, ['TEXT', 'CODE'])
  const { capabilities } = model
  const messages = withoutUnseen(asked.messages, capabilities)
  const call: Asked = {
    ...asked,
    messages,
    modelId: model.id,
    maxTokens: cappedTokens(asked.maxTokens, capabilities),
    reasoningEffort: nearestEffort(asked.reasoningEffort, capabilities.reasoningEfforts),
  }
  refuseSearch(asked, capabilities)
  const [images, documents] = [countImages(messages), countDocuments(messages)]
  checkCapabilities(capabilities, { ...call, images, documents })
  return call
}

/** A search is made and billed by the model's vendor, and asked for in the form of its API. */
function refuseSearch({ webSearch }: Asked, capabilities: Capabilities) {
  if (!webSearch || capabilities.webSearch === webSearch.form) return
  throw new Failure('UNSUPPORTED_PARAMETER', {
    message: `This model cannot search the web through this API: choose one with webSearch "${webSearch.form}", or declare a function that searches.`,
    details: { param: 'tools' },
  })
}

/** Clients send the limit of the vendor's own models; a model that cannot write as much has its own. */
const cappedTokens = (
  maxTokens: number | undefined,
  { maxOutputTokens = Infinity, minOutputTokens = 1 }: Capabilities,
): number | undefined =>
  maxTokens === undefined
    ? undefined
    : Math.max(Math.min(maxTokens, maxOutputTokens), minOutputTokens)

/** The highest that does not exceed what was asked for, else the lowest; none for other models. */
function nearestEffort(
  asked: ReasoningEffort | undefined,
  offered: readonly ReasoningEffort[] = [],
): ReasoningEffort | undefined {
  if (asked === undefined || offered.includes(asked)) return asked
  const rank = (effort: ReasoningEffort) => reasoningEfforts.indexOf(effort)
  const ascending = offered.toSorted((one, other) => rank(one) - rank(other))
  return ascending.findLast((effort) => rank(effort) < rank(asked)) ?? ascending[0]
}

/**
 * A function may return what the model cannot see; the model is told so. A refusal would end the
 * conversation, because every later request contains the same result. Agents also put what a
 * function returned into a message of the user right after the result.
 */
function withoutUnseen(messages: CallMessage[], capabilities: Capabilities): CallMessage[] {
  const seesImages = capabilities.inputModalities.includes('image')
  if (seesImages && capabilities.documents) return messages
  const shown = (part: RawPart): RawPart => {
    const isSeen = part.type === 'image_url' ? seesImages : capabilities.documents === true
    if (part.type === 'text' || isSeen) return part
    const what = part.type === 'image_url' ? 'picture' : 'PDF document'
    return { type: 'text', text: `[A ${what} is here, which this model cannot see.]` }
  }
  return messages.map((message, index) => {
    const { role, content } = message
    const isResult = role === 'tool' || (role === 'user' && messages[index - 1]?.role === 'tool')
    return isResult && content instanceof RawParts
      ? { ...message, content: new RawParts(content.parts.map(shown)) }
      : message
  })
}
