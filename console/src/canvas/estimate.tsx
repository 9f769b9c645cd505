import { locale } from '#console/lib/locale.ts'
import { formatMoney } from '#console/lib/money.ts'
import { Popover } from '#console/ui/popover.tsx'
import { useView } from './context.ts'

/** What a run would cost as the graph stands: low, expected, high, and why it is not exact. */
export function Estimate() {
  const estimate = useView((state) => state.checked?.estimate)
  const isValid = useView((state) => state.checked?.validation.valid)
  if (!estimate) {
    return (
      <span className="whitespace-nowrap text-soft text-sm">
        {isValid === false ? 'No estimate: see the problems' : 'Estimating…'}
      </span>
    )
  }
  const amount = (value: number) => formatMoney(value, estimate.currency, locale)
  const priced = estimate.nodeEstimates.filter((node) => node.calls > 0)
  return (
    <Popover
      title="Estimate of one run"
      align="end"
      trigger={
        <button
          type="button"
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
      }
    >
      <dl className="grid grid-cols-[auto_auto] gap-x-6 text-sm">
        <dt className="text-soft">Low</dt>
        <dd className="text-right">{amount(estimate.lowCost)}</dd>
        <dt className="text-soft">Expected</dt>
        <dd className="text-right font-semibold">{amount(estimate.estimatedCost)}</dd>
        <dt className="text-soft">High</dt>
        <dd className="text-right">{amount(estimate.highCost)}</dd>
      </dl>
      {priced.length > 0 && (
        <ul className="mt-3 border-line border-t pt-2 text-sm">
          {priced.map((node) => (
            <li key={node.nodeId} className="flex justify-between gap-6">
              <span className="text-soft">
                {node.nodeId}
                {node.calls > 1 && ` × ${node.calls}`}
              </span>
              <span>{node.estimatedCost === null ? 'no price' : amount(node.estimatedCost)}</span>
            </li>
          ))}
        </ul>
      )}
      {estimate.assumptions.length > 0 && (
        <ul className="mt-3 max-w-72 list-disc pl-4 text-soft text-xs">
          {estimate.assumptions.slice(0, 6).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
    </Popover>
  )
}
