// The prices that an operator writes in MODELS_FILE and PRICES_FILE.
import type { TokenRates, UnitPrices } from '#core/pricing.ts'
import { Type } from '#core/schema.ts'

const closed = { additionalProperties: false }
const Price = Type.Optional(Type.Number({ minimum: 0 }))

const rates = {
  inputPerMillionTokens: Price,
  cachedInputPerMillionTokens: Price,
  cacheWritePerMillionTokens: Price,
  cacheWrite1hPerMillionTokens: Price,
  inputImagePerMillionTokens: Price,
  inputAudioPerMillionTokens: Price,
  cachedImagePerMillionTokens: Price,
  cachedAudioPerMillionTokens: Price,
  outputPerMillionTokens: Price,
  reasoningPerMillionTokens: Price,
  outputImagePerMillionTokens: Price,
  outputAudioPerMillionTokens: Price,
} satisfies Record<keyof TokenRates, unknown>

const Tier = Type.Object({ aboveInputTokens: Type.Integer({ minimum: 1 }), ...rates }, closed)

export const UnitPricesSchema = Type.Object(
  {
    ...rates,
    longContext: Type.Optional(Type.Array(Tier)),
    perImage: Price,
    perSecond: Price,
    inputAudioPerHour: Price,
    inputPerMillionCharacters: Price,
    perSearch: Price,
  } satisfies Record<keyof UnitPrices, unknown>,
  closed,
)
