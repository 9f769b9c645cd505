/** "15 Nov" for a day, "Nov 2026" for a month. The key is already in local time. */
export function bucketLabel(key: string, locale: string): string {
  const isMonth = key.length === 7
  const at = Date.parse(isMonth ? `${key}-01` : key.slice(0, 10))
  return new Intl.DateTimeFormat(locale, {
    timeZone: 'UTC',
    month: 'short',
    ...(isMonth ? { year: 'numeric' } : { day: 'numeric' }),
  }).format(at)
}
