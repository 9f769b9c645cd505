// Speech to text, as one paid call to one model.
import type { Transcribe, Transcription } from '#core/audio.ts'
import type { CatalogueEntry, Model } from '#core/catalogue.ts'
import type { PricedUnits } from '#core/pricing.ts'
import { openModel } from './open-model.ts'
import { streamPaidCall } from './paid-stream.ts'
import type { TextCallDeps } from './text-attempt.ts'
import { createTimeLimits } from './time-limit.ts'

export function createTranscriber(deps: TextCallDeps): Transcribe {
  const limits = createTimeLimits(deps, deps.clock)
  return async function* ({ principal, modelId, ...transcription }, { signal: caller }) {
    const { entry, askAt } = openModel(deps, modelId, ({ transcribe }) => transcribe)
    const limit = limits.open(caller)
    const call = {
      ...{ operation: 'transcription' as const, principal, entry },
      ...unitsOf(entry.model, transcription),
      wait: limits.waitOf(limit),
      ask: (at: CatalogueEntry) =>
        askAt(at)({ model: at.providerModel, ...transcription }, { signal: limit }),
    }
    try {
      yield* streamPaidCall(deps, call, { limit })
    } finally {
      limits.close(limit)
    }
  }
}

/** 6 kbit/s: below that no codec of the accepted formats carries speech. */
const fewestBytesPerSecond = 750
/** 64 kbit/s, a usual rate for speech. */
const usualBytesPerSecond = 8_000
/** One vendor's input token is 100 ms of audio; few speakers reach 5 words a second. */
const tokensPerSecond = 10
const mostWrittenTokensPerSecond = 20
const writtenTokensPerSecond = 4
const addedTokens = 100

type Units = { most: PricedUnits; expected: PricedUnits }

/** Some models are priced by the length of the audio, others by the token. */
function unitsOf({ pricing }: Model, given: Transcription): Units {
  const { file, prompt = '', keywords = [] } = given
  const size = file.bytes.length
  const mostSeconds = Math.ceil(size / fewestBytesPerSecond)
  const seconds = Math.min(wavSeconds(file.bytes) ?? size / usualBytesPerSecond, mostSeconds)
  if (pricing?.outputPerMillionTokens === undefined) {
    return { most: { inputAudioSeconds: mostSeconds }, expected: { inputAudioSeconds: seconds } }
  }
  const hints = addedTokens + Buffer.byteLength(prompt) + Buffer.byteLength(keywords.join(' '))
  const mostIn = mostSeconds * tokensPerSecond + hints
  const heard = Math.ceil(seconds * tokensPerSecond)
  return {
    most: {
      inputTokens: mostIn,
      inputAudioTokens: mostIn,
      outputTokens: addedTokens + mostSeconds * mostWrittenTokensPerSecond,
    },
    expected: {
      inputTokens: heard,
      inputAudioTokens: heard,
      outputTokens: Math.ceil(seconds * writtenTokensPerSecond),
    },
  }
}

/** The length of an uncompressed recording, whose header gives its bytes per second. */
function wavSeconds(bytes: Uint8Array): number | undefined {
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 44))
  if (header.length < 44 || header.toString('latin1', 0, 4) !== 'RIFF') return undefined
  if (header.toString('latin1', 8, 16) !== 'WAVEfmt ') return undefined
  const bytesPerSecond = header.readUInt32LE(28)
  return bytesPerSecond > 0 ? (bytes.length - 44) / bytesPerSecond : undefined
}
