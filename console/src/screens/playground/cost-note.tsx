import { locale } from '#console/lib/locale.ts'
import { formatMoney } from '#console/lib/money.ts'
import type { useTaskEstimate } from './use-task-estimate.ts'

/** "Costs $0.12", "About $0.12 ($0.05 to $0.30)", or why nobody can say. */
export function CostNote({ estimate }: { estimate: ReturnType<typeof useTaskEstimate> }) {
  const { data, error, isCurrent } = estimate
  if (error && !data) return <>The cost could not be estimated.</>
  if (!data || !isCurrent) return <>Estimating the cost…</>
  const { estimatedCost, lowCost, highCost, currency, exact, assumptions } = data
  if (estimatedCost === null || lowCost === null || highCost === null)
    return <>No price is known, so it is refused under a spend limit.</>
  const amount = (value: number) => formatMoney(value, currency, locale)
  if (exact) return <>Costs {amount(estimatedCost)}</>
  return (
    <span title={assumptions.join(' ')}>
      About {amount(estimatedCost)} ({amount(lowCost)} to {amount(highCost)})
    </span>
  )
}
