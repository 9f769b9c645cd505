import { Cable, Copy, Trash2, X } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef } from 'react'
import type { Actions } from '#console/canvas/actions.ts'
import { Beside } from '#console/canvas/beside.tsx'
import {
  useBase,
  useCanvas,
  useGraph,
  useReadOnly,
  useSessionOf,
  useShown,
  useView,
} from '#console/canvas/context.ts'
import { findNote } from '#console/canvas/drawings.ts'
import { findNode, type GraphNode, labelOf } from '#console/canvas/graph.ts'
import { NamedIcon } from '#console/canvas/icons.tsx'
import { titleOf, typeInfo } from '#console/canvas/node-types.ts'
import type { PlacedProblem } from '#console/canvas/placed-problem.ts'
import { Remedies } from '#console/canvas/remedies.tsx'
import { Button } from '#console/ui/button.tsx'
import { editorText } from '#console/ui/editor-text.ts'
import { IconButton } from '#console/ui/icon-button.tsx'
import { Fields } from './fields.tsx'
import { InputsForm } from './inputs-form.tsx'
import { namesIn, useLastRunInputs } from './last-run.ts'
import { Many, NoteForm } from './selected.tsx'
import type { SettingSchema } from './setting-kind.ts'
import { SettingsForm } from './settings-form.tsx'

// What is not always there is loaded when it is.
const ModeField = lazy(async () => ({ default: (await import('./mode-field.tsx')).ModeField }))
const NodeResult = lazy(async () => ({ default: (await import('./node-result.tsx')).NodeResult }))

type InspectorProps = {
  actions: Actions
  onClose(): void
  /** Escape returns to the graph; the node stays selected. */
  onLeave(): void
  /** Not null: the focus should move here, to a setting if one is named. */
  focusSignal: { readonly field: string | null } | null
  onFocused(): void
}

/** The selection, and everything that can be set about it. */
export function Inspector(props: InspectorProps) {
  const { actions, onClose, onLeave, focusSignal, onFocused } = props
  const { nodes } = useCanvas((state) => state.selection)
  const graph = useGraph()
  const box = useRef<HTMLElement>(null)
  const problem = useView((state) => state.currentProblem)
  const latest = useRef(problem)
  latest.current = problem
  useEffect(() => {
    // Enter in the graph moves the focus here, and a problem moves it to the setting it is about.
    if (!focusSignal) return
    const { field } = focusSignal
    focusSetting(box.current, field === null ? latest.current : { field })
    onFocused()
  }, [focusSignal, onFocused])
  const [id] = nodes
  const node = id === undefined ? undefined : findNode(graph, id)
  const note = id === undefined ? undefined : findNote(graph, id)
  return (
    <Beside ref={box} label="Inspector" onLeave={onLeave} className="w-80">
      {node && nodes.size === 1 ? (
        <NodeForm key={node.id} node={node} actions={actions} onClose={onClose} />
      ) : note && nodes.size === 1 ? (
        <NoteForm key={note.id} note={note} actions={actions} onClose={onClose} />
      ) : nodes.size > 0 ? (
        <Many nodes={nodes} graph={graph} actions={actions} />
      ) : (
        <OneWire actions={actions} />
      )}
    </Beside>
  )
}

type Wanted = Pick<PlacedProblem, 'field' | 'port'> | null

/** The settings, or an editor of code among them, may still be loading, so they are looked for again. */
function focusSetting(box: HTMLElement | null, problem: Wanted, frames = 120) {
  const name = problem?.field ?? problem?.port
  const place =
    name === undefined ? box : box?.querySelector(`[data-setting="${CSS.escape(name)}"]`)
  const control = 'input, textarea, button:not([data-bar] *), [data-editor]'
  const first = place?.querySelector<HTMLElement>(control)
  const found = first?.matches('[data-editor]') ? editorText(first) : first
  if (found) {
    if (place !== box) place?.scrollIntoView({ block: 'nearest' })
    found.focus()
    // A name is written anew more often than it is continued.
    if (name === 'label' && found instanceof HTMLInputElement) found.select()
  } else if (frames > 0) requestAnimationFrame(() => focusSetting(box, problem, frames - 1))
  else if (problem) focusSetting(box, null, 0)
}

function NodeForm({
  node,
  actions,
  onClose,
}: {
  node: GraphNode
  actions: Actions
  onClose(): void
}) {
  const session = useSessionOf()
  const info = useView((state) => typeInfo(state.types, node.type))
  const ports = useView((state) => state.portsOf)(node)
  const problems = useView((state) => state.problemsOf.get(node.id)) ?? []
  const { workflowId } = useBase()
  const lastInputs = useLastRunInputs(workflowId, node.id)
  const inputNames = new Set(ports.inputs.map((port) => port.name))
  const settings = problems
    .filter((problem) => problem.path.includes('/data/'))
    .map(({ path, words }) => ({ path: path.slice(path.indexOf('/data/') + 5), words }))
  const hasName = labelOf(node) !== node.id
  const hasResult = useShown(({ run, pins }) => run !== null || pins[node.id] !== undefined)
  const title = useView(({ types }) => titleOf(types, node))
  const others = problems.filter((one) => !one.path.includes('/data/') && one.port === undefined)
  return (
    <div className="flex flex-col gap-5 p-4 pb-10">
      <header data-bar className="flex items-start gap-2">
        <span className="mt-1 text-soft">
          <NamedIcon name={info?.icon ?? 'box'} size={18} />
        </span>
        <div className="min-w-0 grow">
          <h2 className="truncate font-semibold text-lg">{title}</h2>
          <p className="text-soft text-xs">
            {hasName && `${info?.label ?? node.type} · `}
            <code>{node.id}</code>
          </p>
        </div>
        <IconButton label="Close" icon={<X size={16} aria-hidden />} onClick={onClose} />
      </header>
      {hasResult && (
        <Suspense>
          <NodeResult nodeId={node.id} />
        </Suspense>
      )}
      {info?.help && <p className="text-soft text-sm">{info.help}</p>}
      {others.map((problem) => (
        <div key={problem.words} className="flex flex-col gap-1 text-sm">
          <p className={problem.level === 'error' ? 'text-bad' : 'text-warn'}>{problem.words}</p>
          <Remedies problem={problem} actions={actions} />
        </div>
      ))}
      <InputsForm
        node={node}
        problems={problems}
        actions={actions}
        onConnect={() => session.view.setState({ connectFrom: node.id })}
      />
      {info && (
        <section className="flex flex-col gap-4">
          <h3 className="font-semibold text-soft text-xs uppercase">Settings</h3>
          <Fields>
            <SettingsForm
              schema={info.config as SettingSchema}
              values={node.data}
              onChange={(key, value) => actions.set(node.id, key, value)}
              problems={settings}
              modelKinds={info.modelKinds}
              names={[...inputNames, ...namesIn(lastInputs)]}
              tryOn={lastInputs}
              without={inputNames}
            />
          </Fields>
        </section>
      )}
      <Suspense>
        <ModeField node={node} actions={actions} />
      </Suspense>
      {!session.isReadOnly && (
        <div className="flex flex-wrap gap-2 border-line border-t pt-4">
          <Button
            size="small"
            icon={<Cable size={14} aria-hidden />}
            onClick={() => session.view.setState({ connectFrom: node.id })}
          >
            Connect
          </Button>
          <Button size="small" icon={<Copy size={14} aria-hidden />} onClick={actions.duplicate}>
            Duplicate
          </Button>
          <Button
            size="small"
            variant="danger"
            icon={<Trash2 size={14} aria-hidden />}
            onClick={actions.deleteSelected}
          >
            Delete
          </Button>
        </div>
      )}
    </div>
  )
}

function OneWire({ actions }: { actions: Actions }) {
  const [key = ''] = useCanvas((state) => state.selection.wires)
  const [from = '', to = ''] = key.split('>')
  return (
    <div className="flex flex-col items-start gap-3 p-4">
      <h2 className="font-semibold text-lg">Connection</h2>
      <p className="text-soft text-sm">
        <code>{from}</code> to <code>{to}</code>
      </p>
      {!useReadOnly() && (
        <Button
          variant="danger"
          icon={<Trash2 size={16} aria-hidden />}
          onClick={actions.deleteSelected}
        >
          Remove
        </Button>
      )}
    </div>
  )
}
