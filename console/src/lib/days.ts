/** The instant at which a day such as `2026-11-15` begins in the reader's time zone. */
export function startOfDay(day: string, plusDays: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + plusDays).toISOString()
}
