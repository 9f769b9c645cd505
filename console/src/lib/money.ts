const formats = new Map<string, Intl.NumberFormat>()

/**
 * Amounts as people read them: two decimals, or as many as it takes to show two significant digits
 * (half a cent is $0.005, not $0.01).
 */
export function formatMoney(amount: number, currency: string, locale: string): string {
  const size = Math.abs(amount)
  const decimals = size === 0 || size >= 1 ? 2 : Math.min(6, 1 - Math.floor(Math.log10(size)))
  const digits = Math.max(2, decimals)
  const key = `${locale} ${currency} ${digits}`
  const format =
    formats.get(key) ??
    new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      currencyDisplay: 'narrowSymbol',
      minimumFractionDigits: 2,
      maximumFractionDigits: digits,
    })
  formats.set(key, format)
  return format.format(amount)
}
