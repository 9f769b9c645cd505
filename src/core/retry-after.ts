type Headers = { readonly [name: string]: string | string[] | undefined }

const number = /^\d{1,15}(?:\.\d{1,15})?$/

/**
 * The pause that an answer asks for: `retry-after-ms`, which some vendors add, or `retry-after` in
 * seconds or as a date. A date is read by the clock of its sender, if the answer tells it, because
 * ours may be wrong by minutes; without either clock it says nothing. Undefined if the answer names
 * no pause.
 */
export function readRetryAfterMs(headers: Headers, nowMs?: number): number | undefined {
  const exact = textOf(headers['retry-after-ms'])
  if (number.test(exact)) return Math.round(Number(exact))
  const text = textOf(headers['retry-after'])
  if (number.test(text)) return Math.round(Number(text) * 1000)
  const untilMs = dateOf(text)
  const fromMs = dateOf(textOf(headers.date)) ?? nowMs
  return untilMs === undefined || fromMs === undefined ? undefined : Math.max(0, untilMs - fromMs)
}

const textOf = (value: string | string[] | undefined): string =>
  typeof value === 'string' ? value.trim() : ''

/** Date.parse alone would also read "-5" as a date. */
function dateOf(text: string): number | undefined {
  const ms = text.endsWith(' GMT') ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}
