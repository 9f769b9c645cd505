import type { Capabilities, Catalogue, CatalogueEntry, ModelKind } from '#core/catalogue.ts'
import type { ErrorCode } from '#core/error-table.ts'
import { Failure, type Issue, invalid } from '#core/errors.ts'
import type { ToolChoice } from '#core/text-stream.ts'
import { secondsProblem } from '#core/video-seconds.ts'

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
  /** Given together with a picture. */
  mask?: string | undefined
  /** How many PDFs the messages contain. */
  documents?: number
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
  // Every chat is checked, so lists are made only for what is wrong.
  const issues: Issue[] = []
  addTextIssues(issues, capabilities, given)
  addMediaIssues(issues, capabilities, given)
  if (given.images && !capabilities.inputModalities.includes('image')) {
    const message = 'this model does not accept images'
    issues.push({ path: '/messages', rule: 'capability', message })
  }
  if (given.documents && !capabilities.documents) {
    const message = 'this model does not accept PDF documents'
    issues.push({ path: '/messages', rule: 'capability', message })
  }
  if (issues.length) {
    throw new Failure('UNSUPPORTED_PARAMETER', {
      message: `${issues[0]?.message}.`,
      details: { issues },
    })
  }
}

function addTextIssues(issues: Issue[], capabilities: Capabilities, given: GenerationParameters) {
  const { minOutputTokens: min = 1, maxOutputTokens: max } = capabilities
  const { toolChoice, reasoningEffort } = given
  const isForced = typeof toolChoice === 'object' || toolChoice === 'required'
  checkRange(issues, 'temperature', given.temperature, capabilities.temperature)
  if (max) checkRange(issues, 'maxTokens', given.maxTokens, { min, max })
  checkRange(issues, 'top_p', given.topP, capabilities.topP)
  if (given.stop && capabilities.stopSequences === false) issues.push(issue('stop', notSupported))
  // It changes the answer, so it is refused unless the model declares it.
  checkList(issues, 'reasoningEffort', reasoningEffort, capabilities.reasoningEfforts ?? none)
  if (isForced && capabilities.forcedToolChoice === false) {
    issues.push(issue('tool_choice', 'must be auto or none'))
  }
}

function addMediaIssues(issues: Issue[], capabilities: Capabilities, given: GenerationParameters) {
  // It changes the picture, so it is refused unless the model declares it.
  if (given.mask !== undefined && !capabilities.mask) issues.push(issue('mask', notSupported))
  checkList(issues, 'imageAspectRatio', given.imageAspectRatio, capabilities.imageAspectRatios)
  checkList(issues, 'imageQuality', given.imageQuality, capabilities.imageQualities)
  checkList(issues, 'imageSampleSize', given.imageSampleSize, capabilities.imageSampleSizes)
  checkList(issues, 'videoAspectRatio', given.videoAspectRatio, capabilities.videoAspectRatios)
  checkList(issues, 'videoResolution', given.videoResolution, capabilities.videoResolutions)
  const { videoSeconds: seconds } = capabilities
  const length =
    given.videoSeconds !== undefined && seconds && secondsProblem(given.videoSeconds, seconds)
  if (length) issues.push(issue('videoSeconds', length))
  if (given.videoGenerateAudio && capabilities.videoAudio === false) {
    issues.push(issue('videoGenerateAudio', 'must be false'))
  }
}

const none: readonly string[] = []

const issue = (name: string, problem: string): Issue => ({
  path: `/${name}`,
  rule: 'capability',
  message: `${name} ${problem} for this model`,
})

function checkList(
  issues: Issue[],
  name: string,
  value: string | undefined,
  allowed: readonly string[] | undefined,
) {
  if (value === undefined || !allowed || allowed.includes(value)) return
  const problem = allowed.length > 0 ? `must be one of ${allowed.join(', ')}` : notSupported
  issues.push(issue(name, problem))
}

function checkRange(
  issues: Issue[],
  name: string,
  value: number | undefined,
  range: { min: number; max: number } | undefined,
) {
  if (value === undefined || !range || (value >= range.min && value <= range.max)) return
  issues.push(issue(name, `must be from ${range.min} to ${range.max}`))
}

const notSupported = 'is not supported'
