// Text to speech, as one paid call to one model. The audio is passed on as it arrives.
import type { SpeakText, Speech } from '#core/audio.ts'
import type { CatalogueEntry, Model } from '#core/catalogue.ts'
import type { PricedUnits } from '#core/pricing.ts'
import { openModel } from './open-model.ts'
import { streamPaidCall } from './paid-stream.ts'
import type { TextCallDeps } from './text-attempt.ts'
import { charactersPerToken } from './text-request.ts'
import { createTimeLimits } from './time-limit.ts'

/** By format, for providers that do not name the type. */
const mimeTypes: Record<Speech['format'], string> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}

export function createSpeaker(deps: TextCallDeps): SpeakText {
  const limits = createTimeLimits(deps, deps.clock)
  return async function* ({ principal, modelId, ...speech }, { signal: caller }) {
    const { entry, askAt } = openModel(deps, modelId, ({ speak }) => speak)
    const limit = limits.open(caller)
    const inEvents = entry.model.capabilities.speechEvents === true
    const request = { ...speech, inEvents }
    const { used, ...bounds } = unitsOf(entry.model, speech)
    const call = {
      ...{ operation: 'speech' as const, principal, entry, ...bounds },
      wait: limits.waitOf(limit),
      ask: (at: CatalogueEntry) =>
        askAt(at)({ model: at.providerModel, ...request }, { signal: limit }),
    }
    try {
      for await (const event of streamPaidCall(deps, call, { limit, used })) {
        if (event.type !== 'begin') yield event
        else yield { ...event, mimeType: event.mimeType ?? mimeTypes[speech.format] }
      }
    } finally {
      limits.close(limit)
    }
  }
}

/**
 * An audio token is about 50 ms, and a word takes 6 to 8 of them: 1.3 to 1.4 tokens per character
 * were measured. Slow speech, pauses and other scripts take several times as many.
 */
const expectedTokensPerCharacter = 1.5
const mostTokensPerByte = 8
const mostTokensOfSilence = 1_000
const addedInputTokens = 100

type Units = { most: PricedUnits; expected: PricedUnits; used?: PricedUnits }

/** Some models are priced by the character, which is known beforehand, others by the token. */
function unitsOf({ pricing, capabilities }: Model, { input, instructions = '' }: Speech): Units {
  const inputCharacters = [...input].length
  if (pricing?.outputPerMillionTokens === undefined) {
    const used = { inputCharacters }
    return { most: used, expected: used, used }
  }
  const { maxInputTokens = Infinity, maxOutputTokens = Infinity } = capabilities
  // No tokenizer produces more than one token per byte.
  const mostIn = addedInputTokens + Buffer.byteLength(input) + Buffer.byteLength(instructions)
  const mostOut = mostTokensOfSilence + mostTokensPerByte * Buffer.byteLength(input)
  const expectedOut = Math.ceil(inputCharacters * expectedTokensPerCharacter)
  const outputTokens = Math.min(mostOut, maxOutputTokens)
  return {
    most: {
      inputTokens: Math.min(mostIn, maxInputTokens),
      ...{ outputTokens, outputAudioTokens: outputTokens },
    },
    expected: {
      inputTokens: Math.ceil((inputCharacters + instructions.length) / charactersPerToken),
      ...{ outputTokens: expectedOut, outputAudioTokens: expectedOut },
    },
  }
}
