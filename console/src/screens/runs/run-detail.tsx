import { lazy, Suspense, useState } from 'react'
import { hasEnded } from '#console/canvas/run/run-state.ts'
import { useNarrow } from '#console/canvas/use-narrow.ts'
import { asMedia } from '#console/shared/value-kind.ts'
import { ValuesList } from '#console/shared/values-list.tsx'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { useRun } from './run-context.ts'
import { RunFacts } from './run-facts.tsx'
import { RunFailure } from './run-failure.tsx'
import { AnsweredWaits, DelayedSteps, OpenWaits } from './run-waits.tsx'
import { useNodeNames } from './use-node-names.ts'
import { usedDefaults } from './used-defaults.ts'
import { Waterfall } from './waterfall.tsx'

const RunGraph = lazy(async () => ({ default: (await import('./run-graph.tsx')).RunGraph }))

/** The failure first, then outputs and inputs, then how the run went. */
export function RunDetail() {
  return (
    <div className="@container flex flex-col gap-6">
      <RunFailure />
      <OpenWaits />
      <DelayedSteps />
      <RunFacts />
      <div className="grid gap-6 @min-[52rem]:grid-cols-2">
        <Outputs />
        <Inputs />
      </div>
      <AnsweredWaits />
      <GraphCard />
      <Card title="Waterfall" flush>
        <Waterfall />
      </Card>
    </div>
  )
}

function Outputs() {
  const outputs = useRun((state) => state.outputs)
  const isOver = useRun(({ run }) => hasEnded(run))
  const nameOf = useNodeNames()
  const none = isOver ? 'No outputs.' : 'Outputs appear when the run ends.'
  return (
    <Card title="Outputs">
      <ValuesList values={isOver ? outputs : null} none={none} nameOf={nameOf} />
    </Card>
  )
}

function Inputs() {
  const inputs = useRun((state) => state.inputs)
  const nodes = useRun((state) => state.nodes)
  const graph = useRun((state) => state.graph)
  const pins = useRun(({ run }) => run.pins)
  const nameOf = useNodeNames()
  const defaults = usedDefaults(graph, { ...inputs, ...pins })
  const values = Object.entries({ ...inputs, ...defaults }).map(([id, value]) => [
    id,
    asMedia(value, nodes[id]?.type),
  ])
  return (
    <Card title="Inputs">
      <ValuesList
        values={Object.fromEntries(values)}
        none="No inputs."
        nameOf={nameOf}
        noteOf={(id) => (id in defaults ? 'default' : undefined)}
      />
    </Card>
  )
}

/** On a phone the waterfall below is the more practical view, and the graph opens on demand. */
function GraphCard() {
  const isNarrow = useNarrow()
  const [isAsked, setAsked] = useState<boolean | null>(null)
  const version = useRun(({ run }) => run.workflowVersion)
  const isDraft = useRun(({ run }) => run.isDraft)
  const isOpen = isAsked ?? !isNarrow
  return (
    <Card
      title={
        <>
          Graph{' '}
          <span className="font-normal text-soft text-sm">
            as it ran, {isDraft && 'draft of '}version {version}
          </span>
        </>
      }
      actions={
        <Button
          size="small"
          variant="quiet"
          aria-expanded={isOpen}
          onClick={() => setAsked(!isOpen)}
        >
          {isOpen ? 'Hide' : 'Show'}
        </Button>
      }
      flush
    >
      {isOpen && (
        <div className="h-96 border-line border-t">
          <Suspense fallback={<Skeleton className="h-full" />}>
            <RunGraph />
          </Suspense>
        </div>
      )}
    </Card>
  )
}
