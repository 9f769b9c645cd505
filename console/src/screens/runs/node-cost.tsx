import type { RunNodeView } from '#console/api/types.ts'
import { Money } from '#console/ui/money.tsx'
import { useRun } from './run-context.ts'

/** This node's actual cost beside the expected cost. */
export function NodeCost({ node }: { node: RunNodeView }) {
  const estimate = useRun((state) => state.estimate)
  const expected = estimate?.nodeEstimates.find(({ nodeId }) => nodeId === node.path)
  const money = (amount: number | null) => (
    <Money value={amount === null || !estimate ? null : { amount, currency: estimate.currency }} />
  )
  return (
    <dl className="grid grid-cols-[auto_auto] justify-start gap-x-8 gap-y-1">
      <dt className="text-soft">Actual</dt>
      <dd className="text-right font-semibold">
        {node.cost ? <Money value={node.cost} /> : 'nothing'}
      </dd>
      {expected && (
        <>
          <dt className="text-soft">Expected</dt>
          <dd className="text-right">{money(expected.estimatedCost)}</dd>
          {expected.lowCost !== expected.highCost && (
            <>
              <dt className="text-soft">Between</dt>
              <dd className="text-right">
                {money(expected.lowCost)} and {money(expected.highCost)}
              </dd>
            </>
          )}
          {expected.model && (
            <>
              <dt className="text-soft">Model</dt>
              <dd className="text-right">{expected.model}</dd>
            </>
          )}
        </>
      )}
    </dl>
  )
}
