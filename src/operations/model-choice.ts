import type { ErrorCode } from '#core/error-table.ts'
import { Failure, type Issue, invalid } from '#core/errors.ts'
import type { ToolChoice } from '#core/text-stream.ts'
import { secondsProblem } from '#core/video-seconds.ts'
import type { Capabilities, Catalogue, CatalogueEntry, ModelKind } from '#providers/catalogue.ts'

export function chooseModel(
  catalogue: Catalogue,
  id: string,
  kinds: readonly ModelKind[],
): CatalogueEntry {
  const entry = catalogue.find(id)
  if (!entry) throw refuse('MODEL_NOT_FOUND', `No enabled model is called "${id.slice(0, 100)}".`)
  if (!kinds.includes(entry.model.kind)) {
    throw refuse(
      'MODEL_KIND_MISMATCH',
      `"${id}" is a model of kind ${entry.model.kind}; this operation needs ${kinds.join(' or ')}.`,
    )
  }
  return entry
}

const refuse = (code: ErrorCode, message: string) =>
  invalid(code, [{ path: '/model', rule: 'model', message }], message)

export type GenerationParameters = {
  /** How many images the messages contain. */
  images?: number
  temperature?: number | undefined
  maxTokens?: number | undefined
  topP?: number | undefined
  stop?: readonly string[] | undefined
  toolChoice?: ToolChoice | undefined
  reasoningEffort?: string | undefined
  imageAspectRatio?: string
  imageQuality?: string
  imageSampleSize?: string
  videoAspectRatio?: string
  videoSeconds?: number
  videoResolution?: string
  videoGenerateAudio?: boolean
}

/** Checks only the capabilities that the model declares. */
export function checkCapabilities(capabilities: Capabilities, given: GenerationParameters) {
  const issues = [...textIssues(capabilities, given), ...mediaIssues(capabilities, given)]
  if (given.images && !capabilities.inputModalities.includes('image')) {
    issues.push({
      path: '/messages',
      rule: 'capability',
      message: 'this model does not accept images',
    })
  }
  if (issues.length) {
    throw new Failure('UNSUPPORTED_PARAMETER', {
      message: `${issues[0]?.message}.`,
      details: { issues },
    })
  }
}

function textIssues(capabilities: Capabilities, given: GenerationParameters): Issue[] {
  const { minOutputTokens: min = 1, maxOutputTokens: max, reasoningEfforts = [] } = capabilities
  const { toolChoice, stop } = given
  const isForced = typeof toolChoice === 'object' || toolChoice === 'required'
  return [
    ...inRange('temperature', given.temperature, capabilities.temperature),
    ...inRange('maxTokens', given.maxTokens, max && { min, max }),
    ...inRange('top_p', given.topP, capabilities.topP),
    ...(stop && capabilities.stopSequences === false ? [issue('stop', notSupported)] : []),
    // It changes the answer, so it is refused unless the model declares it.
    ...inList('reasoningEffort', given.reasoningEffort, reasoningEfforts),
    ...(isForced && capabilities.forcedToolChoice === false
      ? [issue('tool_choice', 'must be auto or none')]
      : []),
  ]
}

function mediaIssues(capabilities: Capabilities, given: GenerationParameters): Issue[] {
  const { videoSeconds: seconds } = capabilities
  const length =
    given.videoSeconds !== undefined && seconds && secondsProblem(given.videoSeconds, seconds)
  return [
    ...inList('imageAspectRatio', given.imageAspectRatio, capabilities.imageAspectRatios),
    ...inList('imageQuality', given.imageQuality, capabilities.imageQualities),
    ...inList('imageSampleSize', given.imageSampleSize, capabilities.imageSampleSizes),
    ...inList('videoAspectRatio', given.videoAspectRatio, capabilities.videoAspectRatios),
    ...inList('videoResolution', given.videoResolution, capabilities.videoResolutions),
    ...(length ? [issue('videoSeconds', length)] : []),
    ...(given.videoGenerateAudio && capabilities.videoAudio === false
      ? [issue('videoGenerateAudio', 'must be false')]
      : []),
  ]
}

const issue = (name: string, problem: string): Issue => ({
  path: `/${name}`,
  rule: 'capability',
  message: `${name} ${problem} for this model`,
})

function inList(name: string, value: string | undefined, allowed: string[] | undefined): Issue[] {
  if (value === undefined || !allowed || allowed.includes(value)) return []
  return [issue(name, allowed.length > 0 ? `must be one of ${allowed.join(', ')}` : notSupported)]
}

function inRange(
  name: string,
  value: number | undefined,
  range: { min: number; max: number } | undefined | 0,
): Issue[] {
  if (value === undefined || !range || (value >= range.min && value <= range.max)) return []
  return [issue(name, `must be from ${range.min} to ${range.max}`)]
}

const notSupported = 'is not supported'
