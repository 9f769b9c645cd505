import type { CatalogueModel, Model } from '#console/api/types.ts'
import { formatMoney } from '#console/lib/money.ts'

type Priced = Pick<Model, 'pricing' | 'demo'>

/** "free, demo", "$3 in, $15 out per million tokens", "$0.04 an image", "no price known". */
export function priceText({ pricing, demo }: Priced, locale: string): string {
  if (demo) return 'free, demo'
  if (!pricing) return 'no price known'
  const amount = (value: number) => formatMoney(value, pricing.currency, locale)
  const input = pricing.inputPerMillionTokens
  const output = pricing.outputPerMillionTokens
  const { perImage, perSecond, inputAudioPerHour, inputPerMillionCharacters } = pricing
  if (perImage !== undefined) return `${amount(perImage)} an image`
  if (perSecond !== undefined) return `${amount(perSecond)} a second`
  if (inputAudioPerHour !== undefined) return `${amount(inputAudioPerHour)} an hour`
  if (inputPerMillionCharacters !== undefined)
    return `${amount(inputPerMillionCharacters)} per million characters`
  if (input === undefined) return 'no price known'
  if (output === undefined) return `${amount(input)} per million tokens`
  return `${amount(input)} in, ${amount(output)} out per million tokens`
}

/** One number to sort models of the same kind by; null if the price is not known. */
export function comparablePrice({ pricing, demo }: Priced): number | null {
  if (demo) return 0
  if (!pricing) return null
  const { perImage, perSecond, inputAudioPerHour, inputPerMillionCharacters } = pricing
  const tokens =
    pricing.inputPerMillionTokens === undefined
      ? null
      : pricing.inputPerMillionTokens + (pricing.outputPerMillionTokens ?? 0)
  return perImage ?? perSecond ?? inputAudioPerHour ?? inputPerMillionCharacters ?? tokens
}

/** "price of Oct 7, 2026 from platform.claude.com". */
export function sourceText(
  { source, date }: NonNullable<CatalogueModel['priceSource']>,
  locale: string,
): string {
  const place = /^https?:/.test(source) ? new URL(source).host : packageName(source)
  return date === null ? `price from ${place}` : `price of ${dayText(date, locale)} from ${place}`
}

/** `genai-prices` of `npm:@pydantic/genai-prices@0.1.8`. */
const packageName = (source: string): string =>
  source.replace(/^npm:(@[^/]+\/)?/, '').replace(/@[\w.-]+$/, '')

export const dayText = (day: string, locale: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(day))
