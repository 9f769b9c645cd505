import { calcPrice } from '@pydantic/genai-prices'
import { currency } from '#core/money.ts'
import type { TokenPrices } from './build-catalogue.ts'

/** The provider's name in the price data, where it differs from ours. */
const priceDataNames: Record<string, string> = { gemini: 'google' }

/** From published price data: a table of almost a megabyte. */
export const tokenPrices: TokenPrices = (provider, providerModel) => {
  const perMillion = (usage: { input_tokens: number; output_tokens: number }) => {
    const price = calcPrice(usage, providerModel, {
      providerId: priceDataNames[provider] ?? provider,
    })
    // A thousand tokens stay below every long-context tier.
    return price ? Math.round(price.total_price * 1e9) / 1e6 : undefined
  }
  const inputPerMillionTokens = perMillion({ input_tokens: 1000, output_tokens: 0 })
  const outputPerMillionTokens = perMillion({ input_tokens: 0, output_tokens: 1000 })
  // The price data answers 0 for a unit it has no price for: that is unknown, not free.
  if (!inputPerMillionTokens || !outputPerMillionTokens) return null
  return { currency, inputPerMillionTokens, outputPerMillionTokens }
}
