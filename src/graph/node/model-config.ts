// Settings of nodes that call a model. The model must be of the right kind, and its declared
// limits bound the parameters. A model that is currently unavailable is a warning, not an error.

import { credentialNamePattern } from '#core/credential-name.ts'
import { Type } from '#core/schema.ts'
import { secondsProblem } from '#core/video-seconds.ts'
import type { ModelFacts, ModelKind } from './models.ts'
import type { CheckEnv, Config, ConfigProblem, NamedCredential } from './node-type.ts'

export const ModelId = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Identifier of a model from the model list.',
})

export const CredentialName = (description: string) =>
  Type.String({ pattern: credentialNamePattern, description })

/** For every node that calls a model. */
export const ModelCredential = Type.Optional(
  CredentialName(
    "The name of a stored credential with your own key for the model's provider. It is used, and billed, instead of the server's key.",
  ),
)

export const modelCredential = ({ credential: name, model }: Config): NamedCredential | null =>
  typeof name === 'string' && typeof model === 'string'
    ? { path: '/credential', name, model }
    : null

/** The description of a setting whose values depend on the model. */
export const choices = 'One of the values the model offers. If omitted, the model chooses.'

export const modelOf = (data: Config): string | null =>
  typeof data.model === 'string' ? data.model : null

type Limits = {
  choices: Record<string, readonly string[] | undefined>
  ranges: Record<string, { min: number; max: number } | undefined>
}

function limitsOf({ capabilities: c }: ModelFacts): Limits {
  return {
    choices: {
      imageAspectRatio: c.imageAspectRatios,
      imageQuality: c.imageQualities,
      imageSampleSize: c.imageSampleSizes,
      videoAspectRatio: c.videoAspectRatios,
      videoResolution: c.videoResolutions,
    },
    ranges: {
      temperature: c.temperature,
      maxTokens: c.maxOutputTokens
        ? { min: c.minOutputTokens ?? 1, max: c.maxOutputTokens }
        : undefined,
    },
  }
}

export function checkModel(
  config: Config,
  kinds: readonly ModelKind[],
  { models }: CheckEnv,
): ConfigProblem[] {
  const model = models(modelOf(config) ?? '')
  if (!model) return []
  if (!kinds.some((kind) => kind === model.kind)) {
    const message = `model "${model.id}" is of kind ${model.kind}: choose one of kind ${kinds.join(' or ')}`
    return [{ path: '/model', message }]
  }
  return parameterProblems(config, model)
}

function parameterProblems(config: Config, model: ModelFacts): ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const { choices, ranges } = limitsOf(model)
  for (const [name, allowed] of Object.entries(choices)) {
    const value = config[name]
    if (allowed && typeof value === 'string' && !allowed.includes(value)) {
      const message = `${name} must be one of ${allowed.join(', ')} for model "${model.id}"`
      problems.push({ path: `/${name}`, message })
    }
  }
  for (const [name, range] of Object.entries(ranges)) {
    const value = config[name]
    if (range && typeof value === 'number' && (value < range.min || value > range.max)) {
      const message = `${name} must be from ${range.min} to ${range.max} for model "${model.id}"`
      problems.push({ path: `/${name}`, message })
    }
  }
  const { videoSeconds } = model.capabilities
  if (videoSeconds && typeof config.videoSeconds === 'number') {
    const problem = secondsProblem(config.videoSeconds, videoSeconds)
    if (problem) {
      const message = `videoSeconds ${problem} for model "${model.id}"`
      problems.push({ path: '/videoSeconds', message })
    }
  }
  if (config.videoGenerateAudio === true && model.capabilities.videoAudio === false) {
    const message = `videoGenerateAudio must be false: model "${model.id}" does not generate audio`
    problems.push({ path: '/videoGenerateAudio', message })
  }
  return problems
}
