// Parameters that only some providers have. Values that only restate the default are dropped here;
// each provider's adapter refuses options that its API cannot express.

import { isRecord } from '#core/record.ts'
import type { TextOptions } from '#core/text-stream.ts'
import { badParameter, type Fields, given, optionalBoolean, optionalNumber } from '../parameters.ts'

/** OpenAI's own limits. */
const maxChoices = 128
const maxTopLogprobs = 20
const maxBiases = 1024

export function readChatOptions(body: Fields): TextOptions {
  const frequencyPenalty = readPenalty(body, 'frequency_penalty')
  const presencePenalty = readPenalty(body, 'presence_penalty')
  const logitBias = readBias(given(body, 'logit_bias'))
  return {
    ...(frequencyPenalty === undefined ? {} : { frequencyPenalty }),
    ...(presencePenalty === undefined ? {} : { presencePenalty }),
    ...(logitBias === undefined ? {} : { logitBias }),
    ...readVerbosity(body, 'verbosity'),
    ...readChoices(body),
    ...readLogprobs(body),
  }
}

function readPenalty(body: Fields, name: string): number | undefined {
  const penalty = optionalNumber(body, name)
  if (penalty === undefined || penalty === 0) return undefined
  if (penalty >= -2 && penalty <= 2) return penalty
  throw badParameter(name, 'must be from -2 to 2')
}

function readBias(bias: unknown): Record<string, number> | undefined {
  if (bias === undefined) return undefined
  const entries = isRecord(bias) ? Object.entries(bias) : null
  const isUsable = ([token, value]: [string, unknown]) =>
    /^\d{1,9}$/.test(token) && typeof value === 'number' && Math.abs(value) <= 100
  if (!entries?.every(isUsable) || entries.length > maxBiases) {
    throw badParameter('logit_bias', 'must map tokens to numbers from -100 to 100')
  }
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Record<string, number>)
}

const verbosities = ['low', 'medium', 'high'] as const

export function readVerbosity(body: Fields, at: string): Pick<TextOptions, 'verbosity'> {
  const value = given(body, 'verbosity')
  if (value === undefined || value === 'medium') return {}
  const verbosity = verbosities.find((one) => one === value)
  if (verbosity) return { verbosity }
  throw badParameter(at, `must be one of ${verbosities.join(', ')}`)
}

function readChoices(body: Fields): Pick<TextOptions, 'choices'> {
  const choices = optionalNumber(body, 'n') ?? 1
  if (choices === 1) return {}
  if (!Number.isInteger(choices) || choices < 1 || choices > maxChoices) {
    throw badParameter('n', `must be from 1 to ${maxChoices}`)
  }
  return { choices }
}

function readLogprobs(body: Fields): Pick<TextOptions, 'topLogprobs'> {
  const isWanted = optionalBoolean(body, 'logprobs') ?? false
  const top = readTopLogprobs(body)
  if (!isWanted && (top ?? 0) > 0) throw badParameter('top_logprobs', 'needs "logprobs": true')
  return isWanted ? { topLogprobs: top ?? 0 } : {}
}

export function readTopLogprobs(body: Fields): number | undefined {
  const top = optionalNumber(body, 'top_logprobs')
  if (top === undefined || (Number.isInteger(top) && top >= 0 && top <= maxTopLogprobs)) return top
  throw badParameter('top_logprobs', `must be from 0 to ${maxTopLogprobs}`)
}
