import type { Model } from '#console/api/types.ts'
import { formatMoney } from '#console/lib/money.ts'

/** "free, demo", "$3 in, $15 out per million tokens", "$0.04 an image", "no price known". */
export function priceText({ pricing, demo }: Model, locale: string): string {
  if (demo) return 'free, demo'
  if (!pricing) return 'no price known'
  const { currency, inputPerMillionTokens, outputPerMillionTokens, perImage, perSecond } = pricing
  const amount = (value: number) => formatMoney(value, currency, locale)
  if (perImage !== undefined) return `${amount(perImage)} an image`
  if (perSecond !== undefined) return `${amount(perSecond)} a second`
  if (inputPerMillionTokens === undefined || outputPerMillionTokens === undefined)
    return 'no price known'
  return `${amount(inputPerMillionTokens)} in, ${amount(outputPerMillionTokens)} out per million tokens`
}

/** "price of Oct 7, 2026 from platform.claude.com". */
export function sourceText(
  { source, date }: NonNullable<Model['priceSource']>,
  locale: string,
): string {
  const place = /^https?:/.test(source) ? new URL(source).host : source.replace(/^npm:/, '')
  if (date === null) return `price from ${place}`
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  return `price of ${day.format(new Date(date))} from ${place}`
}

/** What one image or video will cost, if the price is per image or per second. */
export function creativePrice(
  { pricing, capabilities }: Model,
  { videoSeconds }: { videoSeconds?: number | undefined },
): { amount: number; currency: string } | null {
  if (!pricing) return null
  const { currency, perImage, perSecond } = pricing
  if (perImage !== undefined) return { amount: perImage, currency }
  const seconds = videoSeconds ?? capabilities.videoSeconds?.default
  if (perSecond === undefined || seconds === undefined) return null
  return { amount: Math.round(perSecond * seconds * 1e6) / 1e6, currency }
}
