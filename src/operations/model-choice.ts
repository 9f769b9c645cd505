import type { ErrorCode } from '#core/error-table.ts'
import { Failure, type Issue, invalid } from '#core/errors.ts'
import type { ToolChoice } from '#core/text-stream.ts'
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
  const issues: Issue[] = []
  const add = (name: string, message: string) =>
    issues.push({ path: `/${name}`, rule: 'capability', message })
  const inList = (name: keyof GenerationParameters, allowed: string[] | undefined) => {
    const value = given[name]
    if (value !== undefined && allowed && !allowed.includes(String(value))) {
      const may = allowed.length > 0 ? `must be one of ${allowed.join(', ')}` : 'is not supported'
      add(name, `${name} ${may} for this model`)
    }
  }
  const inRange = (
    name: keyof GenerationParameters,
    range: { min: number; max: number } | undefined,
  ) => {
    const value = given[name]
    if (typeof value === 'number' && range && (value < range.min || value > range.max)) {
      add(name, `${name} must be from ${range.min} to ${range.max} for this model`)
    }
  }
  inRange('temperature', capabilities.temperature)
  inRange(
    'maxTokens',
    capabilities.maxOutputTokens ? { min: 1, max: capabilities.maxOutputTokens } : undefined,
  )
  inList('imageAspectRatio', capabilities.imageAspectRatios)
  inList('imageQuality', capabilities.imageQualities)
  inList('imageSampleSize', capabilities.imageSampleSizes)
  inList('videoAspectRatio', capabilities.videoAspectRatios)
  inList('videoResolution', capabilities.videoResolutions)
  inRange('videoSeconds', capabilities.videoSeconds)
  if (given.videoGenerateAudio && capabilities.videoAudio === false) {
    add('videoGenerateAudio', 'this model makes no audio')
  }
  // It changes the answer, so it is passed on only where the model declares it.
  inList('reasoningEffort', capabilities.reasoningEfforts ?? [])
  const { toolChoice } = given
  const isForced = typeof toolChoice === 'object' || toolChoice === 'required'
  if (isForced && capabilities.forcedToolChoice === false) {
    add('tool_choice', 'tool_choice must be auto or none for this model')
  }
  if (given.images && !capabilities.inputModalities.includes('image')) {
    issues.push({ path: '/messages', rule: 'capability', message: 'this model takes no pictures' })
  }
  if (issues.length) {
    throw new Failure('UNSUPPORTED_PARAMETER', {
      message: `${issues[0]?.message}.`,
      details: { issues },
    })
  }
}
