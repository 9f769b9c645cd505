import type { Node, NodeProps } from '@xyflow/react'
import { memo } from 'react'
import type { GraphNode } from '#console/canvas/graph.ts'
import { NamedIcon } from '#console/canvas/icons.tsx'
import { type Port, type Ports, titleOf, typeInfo } from '#console/canvas/node-types.ts'
import { summaryOf } from '#console/canvas/nodes/summary.ts'
import { PortMark } from '#console/canvas/port-mark.tsx'
import { closedWait, nodeState } from '#console/canvas/run/node-state.ts'
import { cx } from '#console/lib/cx.ts'
import { delayedLook } from '#console/shared/wait-words.ts'
import { Status } from '#console/ui/status.tsx'
import { useRun, useRunOnView } from './run-context.ts'

export type RunCardNode = Node<{ node: GraphNode; ports: Ports; isCurrent: boolean }, 'run'>

/** A node as it ran: like a card of the canvas, with its state but nothing to edit. */
export const RunCard = memo(function RunCard({ data }: NodeProps<RunCardNode>) {
  const { node, ports, isCurrent } = data
  const { types } = useRunOnView()
  const state = useRun(({ nodes }) => nodes[node.id])
  const info = typeInfo(types, node.type)
  const label = titleOf(types, node)
  const closed = useRun(({ waits }) => closedWait(waits, node.id))
  const status =
    state?.status === 'RUNNING' && state.waitReason
      ? delayedLook(state.waitReason)
      : nodeState(state ?? { status: 'PENDING' }, node.type, closed)
  return (
    <article
      id={`run-node-${node.id}`}
      aria-label={`${label}, ${status.label}`}
      className={cx(
        'node-card',
        isCurrent && 'node-selected',
        state?.status === 'FAILED' && 'node-error',
        state?.status === 'SKIPPED' && 'opacity-60',
      )}
    >
      <div className="node-head">
        <NamedIcon name={info?.icon ?? 'box'} />
        <span className="node-title">{label}</span>
      </div>
      <div className="node-summary">{summaryOf(node, info)}</div>
      <div className="node-ports">
        <PortList side="inputs" ports={ports.inputs} />
        <PortList side="outputs" ports={ports.outputs} />
      </div>
      <div className="node-foot">
        <Status {...status} size="small" />
      </div>
    </article>
  )
})

function PortList({ side, ports }: { side: 'inputs' | 'outputs'; ports: readonly Port[] }) {
  return (
    <ul>
      {ports.map(({ name, type }) => (
        <li key={name} className={cx('port', side)}>
          <span className={cx('absolute', side === 'inputs' ? '-left-1.5' : '-right-1.5')}>
            <PortMark type={type} />
          </span>
          <span className="port-name">{name}</span>
        </li>
      ))}
    </ul>
  )
}
