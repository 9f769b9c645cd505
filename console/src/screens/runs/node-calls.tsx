import { Link } from '@tanstack/react-router'
import type { RunCall, RunNodeView } from '#console/api/types.ts'
import { isUnder } from '#console/canvas/run/run-state.ts'
import { formatDuration } from '#console/lib/time.ts'
import { attemptsLine, CallList } from '#console/shared/call-list.tsx'
import { Badge } from '#console/ui/badge.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Money } from '#console/ui/money.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { useLedger } from './use-ledger.ts'

/** What the node called, then each provider attempt as recorded in the ledger. */
export function NodeCalls({ node }: { node: RunNodeView }) {
  if (node.calls.length === 0) return <p className="text-soft text-sm">No calls.</p>
  return (
    <div className="flex flex-col gap-4">
      <ul className="flex flex-col divide-y divide-line">
        {node.calls.slice(0, 100).map((call) => (
          <CallRow key={call.path} call={call} />
        ))}
      </ul>
      {node.calls.length > 100 && (
        <p className="text-soft text-sm">
          The first 100 of {node.calls.length}. An item’s calls are listed with the item.
        </p>
      )}
      <ProviderCalls node={node} />
    </div>
  )
}

const kinds = {
  TEXT: 'Text',
  MEDIA: 'Media',
  HTTP: 'HTTP',
  IMPORT: 'Import',
  WAIT: 'Wait',
} as const
const states = {
  STARTED: { label: 'In progress', tone: 'plain' },
  DONE: { label: 'Succeeded', tone: 'good' },
  FAILED: { label: 'Failed', tone: 'bad' },
} as const

function CallRow({ call }: { call: RunCall }) {
  const state = states[call.status]
  return (
    <li className="flex flex-col gap-1 py-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="min-w-0 [overflow-wrap:anywhere]">
          <span className="font-semibold">{kinds[call.kind]}</span>{' '}
          <code className="text-soft">{call.path}</code>
        </span>
        <Money value={call.cost} />
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-soft text-sm">
        <Badge tone={state.tone}>{state.label}</Badge>
        {call.attempts > 1 && <span className="text-warn">{call.attempts} attempts</span>}
        {call.completedAt && (
          <span>{formatDuration(Date.parse(call.completedAt) - Date.parse(call.startedAt))}</span>
        )}
        {call.taskId && (
          <Link to="/tasks/$taskId" params={{ taskId: call.taskId }} className="underline">
            Task
          </Link>
        )}
      </div>
      {call.error && (
        <p className="text-bad text-sm">
          {call.error.message} <code className="text-xs">{call.error.code}</code>
        </p>
      )}
    </li>
  )
}

/** More attempts of one call than this are read in the list. */
const mostInLine = 6

function ProviderCalls({ node: { path, calls: own } }: { node: RunNodeView }) {
  // A task is found by the call that waited for it; the ledger only knows the outer node of both.
  const tasks = new Set(own.map(({ taskId }) => taskId))
  const calls = useLedger({ enabled: true })
  return (
    <Loadable query={calls} skeleton={<SkeletonRows />}>
      {(items) => {
        const made = items.filter(({ taskId, nodeId }) =>
          taskId ? tasks.has(taskId) : nodeId === path || isUnder(path, nodeId ?? ''),
        )
        if (made.length === 0) return null
        return (
          <section aria-label="Provider calls">
            <h3 className="font-semibold text-sm">Provider calls</h3>
            {own.length === 1 && made.length > 1 && made.length <= mostInLine && (
              <p className="mt-1 text-soft text-sm">{attemptsLine(made.toReversed())}</p>
            )}
            <CallList calls={made} />
          </section>
        )
      }}
    </Loadable>
  )
}
