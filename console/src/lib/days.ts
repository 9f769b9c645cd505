/** When a day begins where the reader is, `2026-11-15` as an instant. */
export function startOfDay(day: string, plusDays: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + plusDays).toISOString()
}
