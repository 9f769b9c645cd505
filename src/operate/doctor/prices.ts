import { builtinModels } from '#providers/builtin-models.ts'
import { type Finding, ok, warn } from './finding.ts'

const maxAgeDays = 60
const dayMs = 24 * 60 * 60 * 1000

/** Whether the shipped prices of the providers in use were reviewed recently. */
export function checkPrices(providers: ReadonlySet<string>, nowMs: number): Finding[] {
  const seen = builtinModels.flatMap(({ id, provider, pricing }) =>
    pricing && providers.has(provider)
      ? [{ id, day: pricing.priceReviewed ?? pricing.priceDate }]
      : [],
  )
  if (seen.length === 0) return []
  const isOld = ({ day }: { day: string }) => nowMs - Date.parse(day) > maxAgeDays * dayMs
  const [oldest] = seen.filter(isOld).sort((a, b) => a.day.localeCompare(b.day))
  if (!oldest) return [ok('prices', `${seen.length} shipped prices, all seen in the last 60 days`)]
  return [
    warn(
      'prices',
      `shipped prices may be out of date: ${oldest.id} was last seen on ${oldest.day}`,
      'Update Atelier, or set the prices of the models you use in MODELS_FILE.',
    ),
  ]
}
