import { CircleAlert, Plus } from 'lucide-react'
import { counted } from '#console/lib/counted.ts'
import { cx } from '#console/lib/cx.ts'
import { Button } from '#console/ui/button.tsx'
import { Status } from '#console/ui/status.tsx'
import { useCanvasUi } from './canvas-ui.ts'
import { useCanvas, useGraph, useReadOnly, useSessionOf, useShown, useView } from './context.ts'
import { modeOf, modeWords } from './draw-actions.ts'
import { findNode, type Graph, type GraphNode } from './graph.ts'
import { NamedIcon } from './icons.tsx'
import { type NodeTypes, type PortsOf, titleOf, typeInfo } from './node-types.ts'
import { PreviewView } from './nodes/preview-view.tsx'
import { orderNodes } from './order.ts'
import { PortMark } from './port-mark.tsx'
import { footOf } from './run/foot.ts'
import { previewsAt } from './run/shown-run.ts'
import { useNodeInRun } from './run/use-node-in-run.ts'

type ListViewProps = { onOpen(nodeId: string): void; onAdd(): void }

/** The same graph as an ordered list, for editing on a phone or with a screen reader. */
export function ListView({ onOpen, onAdd }: ListViewProps) {
  const graph = useGraph()
  const selected = useCanvas((state) => state.selection.nodes)
  const nodes = orderNodes(graph)
  const isReadOnly = useReadOnly()
  return (
    <section aria-label="Steps of the workflow" className="min-w-0 grow overflow-y-auto p-4">
      <ol className="mx-auto flex max-w-read flex-col gap-2">
        {nodes.map((node, index) => (
          <li key={node.id}>
            <Step
              node={node}
              step={index + 1}
              isSelected={selected.has(node.id)}
              onOpen={() => onOpen(node.id)}
            />
          </li>
        ))}
      </ol>
      {nodes.length === 0 && (
        <p className="mx-auto max-w-read py-6 text-center text-soft">
          {isReadOnly ? 'No steps yet.' : 'No steps yet. Add the first one.'}
        </p>
      )}
      {!isReadOnly && (
        <div className="mx-auto max-w-read pt-3">
          <Button icon={<Plus size={16} aria-hidden />} onClick={onAdd}>
            Add a step
          </Button>
        </div>
      )}
    </section>
  )
}

type StepProps = { node: GraphNode; step: number; isSelected: boolean; onOpen(): void }

function Step({ node, step, isSelected, onOpen }: StepProps) {
  const session = useSessionOf()
  const graph = useGraph()
  const types = useView((state) => state.types)
  const info = typeInfo(types, node.type)
  const portsOf = useView((state) => state.portsOf)
  const problems = useView((state) => state.problemsOf.get(node.id)) ?? []
  const errors = problems.filter((problem) => problem.level === 'error').length
  const mode = modeOf(node)
  const feeds = feedsOf(node, { graph, types, portsOf })
  return (
    <div
      className="rounded-md border border-line bg-card px-4 py-3 data-selected:border-accent"
      data-selected={isSelected || undefined}
    >
      <div className="flex items-center gap-2">
        <span className="text-soft text-sm">{step}</span>
        <NamedIcon name={info?.icon ?? 'box'} />
        <button
          type="button"
          onClick={onOpen}
          className="min-h-8 min-w-0 grow truncate text-left font-semibold hover:underline"
        >
          {titleOf(types, node)}
        </button>
        {mode && <span className="node-mode">{modeWords[mode]}</span>}
        {problems.length > 0 && (
          <span
            className={cx(
              'flex shrink-0 items-center gap-1 text-sm',
              errors > 0 ? 'text-bad' : 'text-warn',
            )}
          >
            <CircleAlert size={14} aria-hidden />
            {errors > 0 ? counted(errors, 'problem') : counted(problems.length, 'warning')}
          </span>
        )}
        {!session.isReadOnly && (
          <Button
            size="small"
            variant="quiet"
            onClick={() => session.view.setState({ connectFrom: node.id })}
          >
            Connect
          </Button>
        )}
      </div>
      <StepResult nodeId={node.id} />
      {feeds.length > 0 && (
        <ul className="mt-1 flex flex-col gap-0.5 text-sm">
          {feeds.map(({ port, type, from }) => (
            <li key={port} className="flex items-center gap-2">
              <PortMark type={type} />
              <span>{port}</span>
              <span className="min-w-0 truncate text-soft">{from}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** How the step went in the shown run, and the beginning of what it gave. */
function StepResult({ nodeId }: { nodeId: string }) {
  const { openResult } = useCanvasUi()
  const inRun = useNodeInRun(nodeId)
  const first = useShown((state) => previewsAt(state, nodeId)?.[0])
  if (!inRun && !first) return null
  const foot = inRun && footOf(inRun, 0)
  return (
    <div className="mt-1 flex flex-col gap-1 text-sm">
      {foot && <Status size="small" kind={foot.kind} label={foot.text} />}
      {first && (
        <button
          type="button"
          className="max-h-32 overflow-hidden rounded-sm border border-line bg-sunken px-3 py-2 text-left [&_img]:max-h-28"
          onClick={() => openResult(nodeId)}
        >
          <span className="sr-only">Show the result: </span>
          <PreviewView preview={first} />
        </button>
      )}
    </div>
  )
}

type Feeding = { graph: Graph; types: NodeTypes; portsOf: PortsOf }

function feedsOf(node: GraphNode, { graph, types, portsOf }: Feeding) {
  const nameOf = (id: string) => {
    const source = findNode(graph, id)
    return source ? titleOf(types, source) : id
  }
  return portsOf(node).inputs.map(({ name, type }, index) => {
    const wires = graph.connections.filter(
      (wire) =>
        wire.target === node.id && (wire.targetHandle ?? (index === 0 ? name : '')) === name,
    )
    const sources = wires.map(({ source, sourceHandle }) =>
      [nameOf(source), sourceHandle].filter(Boolean).join(': '),
    )
    const set = node.data[name] === undefined ? 'not connected' : 'set here'
    return { port: name, type, from: sources.length > 0 ? `from ${sources.join(', ')}` : set }
  })
}
