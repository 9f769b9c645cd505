import type { ReactElement } from 'react'
import type { GraphEstimate } from '#console/api/types.ts'
import { locale } from '#console/lib/locale.ts'
import { formatMoney } from '#console/lib/money.ts'
import { assumptionWords } from '#console/shared/assumption-words.ts'
import { Popover } from '#console/ui/popover.tsx'
import { useGraph, useView } from './context.ts'
import { findNode } from './graph.ts'
import { titleOf } from './node-types.ts'

type EstimateDetailsProps = { estimate: GraphEstimate; trigger: ReactElement }

/**
 * Low, expected and high cost, the cost by node, and what was assumed. Opens as soon as it is
 * loaded.
 */
export function EstimateDetails({ estimate, trigger }: EstimateDetailsProps) {
  const types = useView((state) => state.types)
  const graph = useGraph()
  const nameOf = (id: string) => {
    const node = findNode(graph, id)
    return node ? titleOf(types, node) : id
  }
  const amount = (value: number) => formatMoney(value, estimate.currency, locale)
  const priced = estimate.nodeEstimates.filter((node) => node.calls > 0)
  return (
    <Popover title="Estimate for one run" align="end" defaultOpen trigger={trigger}>
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
                {nameOf(node.nodeId)}
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
            <li key={sentence}>{assumptionWords(sentence, nameOf)}</li>
          ))}
        </ul>
      )}
    </Popover>
  )
}
