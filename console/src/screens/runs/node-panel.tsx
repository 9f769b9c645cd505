import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { RunNodeView } from '#console/api/types.ts'
import { typeInfo } from '#console/canvas/node-types.ts'
import { hasEnded, rootOf } from '#console/canvas/run/run-state.ts'
import { formatDuration } from '#console/lib/time.ts'
import { ValuesList } from '#console/shared/values-list.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Money } from '#console/ui/money.tsx'
import { SidePanel } from '#console/ui/side-panel.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { type Tab, Tabs } from '#console/ui/tabs.tsx'
import { When } from '#console/ui/when.tsx'
import { NodeCalls } from './node-calls.tsx'
import { NodeCost } from './node-cost.tsx'
import { NodeFailure } from './node-failure.tsx'
import { NodeItems } from './node-items.tsx'
import { NodeStatus } from './node-status.tsx'
import { isLoop } from './open-paths.ts'
import { useRun, useRunOnView } from './run-context.ts'
import { useNodeNames } from './use-node-names.ts'
import { useRunPlace } from './use-run-place.ts'

type TabName = 'error' | 'items' | 'input' | 'output' | 'calls' | 'cost'

/** What a node received, did and produced, beside the run. */
export function NodePanel({ path }: { path: string }) {
  const { select } = useRunOnView()
  const isOver = useRun(({ run }) => hasEnded(run))
  const place = useRunPlace(path, { isOver })
  return (
    <SidePanel title={useTitle(path, place.data)} onClose={() => select(null)}>
      <Loadable query={place} skeleton={<SkeletonRows />}>
        {(node) => <NodeDetail key={path} node={node} />}
      </Loadable>
    </SidePanel>
  )
}

function useTitle(path: string, place: RunNodeView | undefined): string {
  const { types } = useRunOnView()
  const nameOf = useNodeNames()
  const [, outer = '', item] = /^(.*)\[(\d+)\]$/.exec(path) ?? []
  if (item !== undefined) return `Item ${Number(item) + 1} of ${nameOf(outer)}`
  if (path === rootOf(path)) return nameOf(path)
  return place?.label ?? (place && typeInfo(types, place.type)?.label) ?? path
}

function NodeDetail({ node }: { node: RunNodeView }) {
  const [chosen, setTab] = useState<TabName | null>(null)
  const first = node.error ? 'error' : node.outputs ? 'output' : 'input'
  const tabs: Tab<TabName>[] = [
    ...(node.error
      ? [
          {
            value: 'error' as const,
            label: 'Error',
            panel: <NodeFailure node={node} onLook={() => setTab('calls')} />,
          },
        ]
      : []),
    ...(isLoop(node.type)
      ? [
          {
            value: 'items' as const,
            label: node.type === 'flow.repeat' ? 'Passes' : 'Items',
            panel: <NodeItems node={node} />,
          },
        ]
      : []),
    {
      value: 'input',
      label: 'Input',
      panel: <ValuesList values={node.inputs} none="No inputs." />,
    },
    {
      value: 'output',
      label: 'Output',
      panel: <ValuesList values={node.outputs} none="No outputs." />,
    },
    {
      value: 'calls',
      label: 'Calls',
      note: node.calls.length > 0 ? node.calls.length : undefined,
      panel: <NodeCalls node={node} />,
    },
    { value: 'cost', label: 'Cost', panel: <NodeCost node={node} /> },
  ]
  const tab = tabs.some(({ value }) => value === chosen) && chosen ? chosen : first
  return (
    <div className="flex flex-col gap-4">
      <NodeFacts node={node} />
      {node.warnings?.map(({ code, message }) => (
        <p key={code} className="text-sm text-warn">
          {message}
        </p>
      ))}
      <Tabs aria-label="About this node" tabs={tabs} value={tab} onChange={setTab} />
    </div>
  )
}

/** The run whose answers were taken over. */
function ReusedFrom({ path }: { path: string }) {
  const from = useRun(({ nodes }) => nodes[path]?.reusedFrom)
  if (!from) return null
  return (
    <span>
      Reused from a{' '}
      <Link
        to="/runs/$runId"
        params={{ runId: from.runId }}
        search={{ node: from.nodeId }}
        className="text-accent underline"
      >
        run
      </Link>{' '}
      <When at={from.at} />
    </span>
  )
}

function NodeFacts({ node }: { node: RunNodeView }) {
  const { startedAt, completedAt, attempts } = node
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
      <NodeStatus worked={node} />
      {startedAt && completedAt && (
        <span>{formatDuration(Date.parse(completedAt) - Date.parse(startedAt))}</span>
      )}
      {attempts > 1 && <span className="text-warn">{attempts} attempts</span>}
      {node.cost && <Money value={node.cost} />}
      <code className="text-soft">{node.path}</code>
      <ReusedFrom path={node.path} />
    </div>
  )
}
