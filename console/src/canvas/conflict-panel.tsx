import { useState } from 'react'
import { counted } from '#console/lib/counted.ts'
import { Banner } from '#console/ui/banner.tsx'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { useSessionOf, useView } from './context.ts'
import { diffGraphs } from './diff.ts'
import { DiffView, textOf } from './diff-view.tsx'
import { emptyGraph, type GraphNode, readGraph } from './graph.ts'
import type { Conflict as NodeConflict, Side } from './merge.ts'
import { settingTitle } from './node-types.ts'
import type { Conflict } from './saving.ts'

type ConflictPanelProps = {
  conflict: Conflict
  busy: boolean
  onResolve(choices: ReadonlyMap<string, Side>): void
  onCopy(): void
  onClose(): void
}

/** Someone saved first: shows both sides by node. Nothing is saved before the person chooses. */
export function ConflictPanel({ conflict, busy, onResolve, onCopy, onClose }: ConflictPanelProps) {
  const { merge, theirs, mine } = conflict
  const { base } = useSessionOf()
  const [choices, setChoices] = useState<ReadonlyMap<string, Side>>(new Map())
  const types = useView((state) => state.types)
  const open = merge.conflicts.filter(({ nodeId }) => !choices.has(nodeId)).length
  const before = base.doc?.graph ?? emptyGraph
  return (
    <Dialog
      open
      onClose={onClose}
      size="medium"
      title="Someone saved this workflow first"
      description={`Version ${theirs.version} was saved while you were working on version ${base.version}.`}
      footer={
        <>
          <Button onClick={onCopy} disabled={busy}>
            Save mine as a copy
          </Button>
          <Button
            variant="primary"
            busy={busy}
            disabled={open > 0}
            onClick={() => onResolve(choices)}
          >
            {merge.conflicts.length === 0 ? 'Keep both' : 'Save my choices'}
          </Button>
        </>
      }
    >
      {merge.conflicts.length === 0 ? (
        <Banner tone="good" title="Both can be kept">
          You changed {counted(merge.onlyMine, 'node')} and they changed{' '}
          {counted(merge.onlyTheirs, 'other')}.
        </Banner>
      ) : (
        <ul className="flex flex-col gap-4">
          {merge.conflicts.map((one) => (
            <li key={one.nodeId}>
              <Choice
                conflict={one}
                chosen={choices.get(one.nodeId) ?? null}
                onChoose={(side) => setChoices(new Map(choices).set(one.nodeId, side))}
              />
            </li>
          ))}
        </ul>
      )}
      <details className="mt-5">
        <summary className="font-semibold">What they changed</summary>
        <div className="pt-2">
          <DiffView diff={diffGraphs(before, readGraph(theirs.data) ?? emptyGraph)} types={types} />
        </div>
      </details>
      <details className="mt-2">
        <summary className="font-semibold">What you changed</summary>
        <div className="pt-2">
          <DiffView diff={diffGraphs(before, mine.graph)} types={types} />
        </div>
      </details>
    </Dialog>
  )
}

type ChoiceProps = { conflict: NodeConflict; chosen: Side | null; onChoose(side: Side): void }

function Choice({ conflict, chosen, onChoose }: ChoiceProps) {
  const sides: [Side, string, GraphNode | null][] = [
    ['mine', 'Mine', conflict.mine],
    ['theirs', 'Theirs', conflict.theirs],
  ]
  return (
    <fieldset>
      <legend className="font-semibold">{conflict.label}</legend>
      <div className="mt-1 grid gap-2 sm:grid-cols-2">
        {sides.map(([side, word, node]) => (
          <label
            key={side}
            className="flex min-w-0 gap-2 rounded-sm border border-line p-3 has-checked:border-accent"
          >
            <input
              type="radio"
              name={`choice ${conflict.nodeId}`}
              checked={chosen === side}
              onChange={() => onChoose(side)}
              className="mt-1 accent-accent"
            />
            <span className="min-w-0">
              <span className="block">{word}</span>
              {node ? <Settings node={node} /> : <span className="text-bad text-sm">removed</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function Settings({ node }: { node: GraphNode }) {
  const types = useView((state) => state.types)
  return (
    <span className="block max-h-40 overflow-y-auto text-sm">
      {Object.entries(node.data).map(([key, value]) => (
        <span key={key} className="mt-1 block [overflow-wrap:anywhere]">
          <span className="block text-soft text-xs">{settingTitle(types, node.type, key)}</span>
          {textOf(value)}
        </span>
      ))}
    </span>
  )
}
