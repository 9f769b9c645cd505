import { lazy, Suspense, useState } from 'react'
import { locale } from '#console/lib/locale.ts'
import { formatMoney } from '#console/lib/money.ts'
import { useView } from './context.ts'

const EstimateDetails = lazy(async () => ({
  default: (await import('./estimate-details.tsx')).EstimateDetails,
}))

/** What a run of the current graph would cost; a click shows how that was computed. */
export function Estimate() {
  const estimate = useView((state) => state.checked?.estimate)
  const isValid = useView((state) => state.checked?.validation.valid)
  const [isAsked, setAsked] = useState(false)
  const isOld = useView((state) => state.isCheckOld)
  const isChecking = useView((state) => state.isChecking)
  // An amount is shown only for the graph on screen, never for the one before a change.
  if (!estimate || isOld || isChecking) {
    return (
      <span className="whitespace-nowrap text-soft text-sm">
        {isOld && !isChecking
          ? 'No estimate: the server cannot be reached'
          : isValid === false && !isChecking
            ? 'No estimate: see the problems'
            : 'Estimating…'}
      </span>
    )
  }
  const amount = (value: number) => formatMoney(value, estimate.currency, locale)
  const button = (
    <button
      type="button"
      onClick={() => setAsked(true)}
      className="flex min-h-8 items-center gap-2 whitespace-nowrap rounded-sm px-2 text-sm hover:bg-sunken"
    >
      <span className="text-soft max-sm:sr-only">Estimate</span>
      <span className="font-semibold">{amount(estimate.estimatedCost)}</span>
      {estimate.lowCost !== estimate.highCost && (
        <span className="text-soft max-md:hidden">
          {amount(estimate.lowCost)} to {amount(estimate.highCost)}
        </span>
      )}
    </button>
  )
  if (!isAsked) return button
  return (
    <Suspense fallback={button}>
      <EstimateDetails estimate={estimate} trigger={button} />
    </Suspense>
  )
}
