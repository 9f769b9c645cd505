import type { Money } from '#client/client.ts'

export function showMoney(money: Money | null): string {
  if (money === null) return ''
  const { amount, currency } = money
  const digits = showAmount(amount)
  return currency === 'USD' ? `$${digits}` : `${digits} ${currency}`
}

/** Zero has no decimals. Other amounts have two to six; trailing zeros after two are dropped. */
function showAmount(amount: number): string {
  if (amount === 0) return '0'
  const [whole, decimals = ''] = amount.toFixed(6).split('.')
  return `${whole}.${decimals.replace(/0+$/, '').padEnd(2, '0')}`
}

export function showDuration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  const minutes = Math.floor(seconds / 60)
  const two = (count: number) => String(count).padStart(2, '0')
  if (minutes < 60) return `${minutes} min ${two(Math.floor(seconds % 60))} s`
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`
}

/** The duration from start to end, or until now if it has not ended. */
export function showSpan(from: string | null, to: string | null, nowMs: number): string {
  if (from === null) return ''
  return showDuration((to === null ? nowMs : Date.parse(to)) - Date.parse(from))
}

/** Local time, to the second. */
export function showTime(rfc3339: string | null): string {
  if (rfc3339 === null) return ''
  const at = new Date(rfc3339)
  const two = (count: number) => String(count).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}

/** A shorter form for tables. */
export const showMinute = (rfc3339: string | null): string => showTime(rfc3339).slice(0, 16)

export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`
