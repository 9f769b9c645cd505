import { useState } from 'react'
import type { GraphEstimate } from '#console/api/types.ts'
import { counted } from '#console/lib/counted.ts'
import { locale } from '#console/lib/locale.ts'
import { formatMoney } from '#console/lib/money.ts'
import { assumptionWords } from '#console/shared/assumption-words.ts'
import type { RunSource } from './run-source.ts'

type RunEstimateProps = {
  source: RunSource
  estimate: GraphEstimate | null | undefined
  failed: boolean
}

/** Shown beside the Run button: the expected cost, its range, and what it assumes. */
export function RunEstimate({ source, estimate, failed }: RunEstimateProps) {
  const [isOpen, setOpen] = useState(false)
  const nameOf = source.useNames({ enabled: isOpen })
  if (failed) return <p className="text-soft text-sm">No estimate for these inputs.</p>
  if (!estimate) return <p className="text-soft text-sm">Estimating…</p>
  const amount = (value: number) => formatMoney(value, estimate.currency, locale)
  const saved = estimate.savedCost
    ? `Reuses ${counted(estimate.reusableNodes?.length ?? 0, 'node')}, saves ${amount(estimate.savedCost)}.`
    : ''
  if (estimate.highCost === 0) return <p className="text-soft text-sm">Free. {saved}</p>
  const { economy } = estimate
  const later = economy && economy.estimatedCost < estimate.estimatedCost ? economy : null
  return (
    <details
      className="min-w-0 text-sm"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="rounded-sm">
        About <strong className="font-semibold">{amount((later ?? estimate).estimatedCost)}</strong>
        {later ? (
          <span className="text-soft">
            {' '}
            by the deadline, {amount(estimate.estimatedCost)} at once
          </span>
        ) : (
          estimate.lowCost !== estimate.highCost && (
            <span className="text-soft">
              , {amount(estimate.lowCost)} to {amount(estimate.highCost)}
            </span>
          )
        )}
        {economy && !later && (
          <span className="text-soft">
            . The deadline saves nothing: no call can wait for a batch
          </span>
        )}
        {saved && <span className="text-soft"> {saved}</span>}
      </summary>
      <ul className="mt-2 flex list-disc flex-col gap-1 pl-4 text-soft text-xs">
        {estimate.nodeEstimates
          .filter(({ calls }) => calls > 0)
          .slice(0, 20)
          .map(({ nodeId, calls, estimatedCost }) => (
            <li key={nodeId}>
              {nameOf(nodeId)}
              {calls > 1 && ` × ${calls}`}:{' '}
              {estimatedCost === null ? 'no price' : amount(estimatedCost)}
            </li>
          ))}
        {estimate.assumptions.slice(0, 6).map((sentence) => (
          <li key={sentence}>{assumptionWords(sentence, nameOf)}</li>
        ))}
      </ul>
    </details>
  )
}
