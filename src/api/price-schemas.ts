// Schemas of tokens and their prices, shared by the records that show them.
import type { TokenRates, UnitPrices } from '#core/pricing.ts'
import { Type } from '#core/schema.ts'
import type { UsagePart } from '#core/usage.ts'
import { Amount, Closed } from './schemas.ts'

const part = (description: string) =>
  Type.Optional(Type.Number({ minimum: 0, description: `${description} Left out if 0.` }))

/** The parts of a usage that some providers count separately. */
export const usagePartSchemas = {
  cachedInputTokens: part('Input read from the cache of the provider.'),
  cacheWriteTokens: part('Input written to that cache.'),
  cacheWrite1hTokens: part('Of those, the ones kept for an hour.'),
  inputImageTokens: part('Images of the input.'),
  inputAudioTokens: part('Audio of the input.'),
  cachedImageTokens: part('Images of the input read from the cache.'),
  cachedAudioTokens: part('Audio of the input read from the cache.'),
  reasoningTokens: part('Output that the model used to reason.'),
  outputImageTokens: part('Images of the output.'),
  outputAudioTokens: part('Audio of the output.'),
} satisfies Record<UsagePart, unknown>

const rate = Type.Optional(Amount)

const rates = {
  inputPerMillionTokens: rate,
  cachedInputPerMillionTokens: rate,
  cacheWritePerMillionTokens: rate,
  cacheWrite1hPerMillionTokens: rate,
  inputImagePerMillionTokens: rate,
  inputAudioPerMillionTokens: rate,
  cachedImagePerMillionTokens: rate,
  cachedAudioPerMillionTokens: rate,
  outputPerMillionTokens: rate,
  reasoningPerMillionTokens: rate,
  outputImagePerMillionTokens: rate,
  outputAudioPerMillionTokens: rate,
} satisfies Record<keyof TokenRates, unknown>

/** Tokens of a part that has no rate of its own are charged at the rate of the whole. */
export const PricingRecord = Closed({
  currency: Type.String(),
  ...rates,
  longContext: Type.Optional(
    Type.Array(Closed({ aboveInputTokens: Type.Integer({ minimum: 0 }), ...rates }), {
      description: 'Rates that apply instead if a call has more input than this.',
    }),
  ),
  perImage: rate,
  perSecond: rate,
  inputAudioPerHour: rate,
  inputPerMillionCharacters: rate,
  perSearch: rate,
  standIn: Type.Optional(
    Type.Literal(true, {
      description: 'The account chose these prices, because those of the vendor are not known.',
    }),
  ),
} satisfies Record<keyof UnitPrices | 'currency' | 'standIn', unknown>)
