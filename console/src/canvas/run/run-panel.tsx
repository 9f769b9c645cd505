import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useEffect, useMemo, useRef } from 'react'
import { useOwner } from '#console/api/use-owner.ts'
import { Beside } from '#console/canvas/beside.tsx'
import { checkGraph } from '#console/canvas/calls.ts'
import { useBase, useCanvas, useSessionOf, useShown, useView } from '#console/canvas/context.ts'
import { findNode } from '#console/canvas/graph.ts'
import { madeIn } from '#console/canvas/made.ts'
import { titleOf } from '#console/canvas/node-types.ts'
import type { Session } from '#console/canvas/session.ts'
import { useKept } from '#console/lib/use-kept.ts'
import {
  createCheck,
  type Entries,
  type InputsSchema,
  toEntries,
} from '#console/shared/run-form/inputs.ts'
import { RunFields } from '#console/shared/run-form/run-fields.tsx'
import { type RunSource, startRun } from '#console/shared/run-form/run-source.ts'
import { readValues } from '#console/shared/run-form/start-values.ts'
import { Button } from '#console/ui/button.tsx'
import { Checkbox } from '#console/ui/checkbox.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { InputsFrom } from './inputs-from.tsx'
import { RunDifferenceView } from './run-difference.tsx'
import { allNodes } from './run-part.ts'
import { hasEnded } from './run-state.ts'
import { RunOutputs, RunSummaryView } from './run-summary.tsx'

export type RunPanelProps = {
  /** Makes a workflow of a graph that has none; false if it could not be saved. */
  onSave(): Promise<boolean>
  onStarted(runId: string): void
  onProblems(): void
  onClose(): void
  /** Increases each time the focus should move to the first field. */
  focusSignal: number
  /** Above 0: the run should be started as soon as the form is there. */
  startSignal: number
  onStarting(): void
}

/** Inputs, estimate and the button that runs the graph; beside the graph, which shows the results. */
export function RunPanel({ onClose, ...props }: RunPanelProps) {
  const box = useRef<HTMLElement>(null)
  const session = useSessionOf()
  const isComparing = useShown(({ run, other }) => run !== null && other !== null)
  const isShown = useShown(({ run }) => run !== null)
  // The problems come first: the results of an earlier run are no answer to this graph.
  const isRefused =
    useView(({ checked }) => checked?.validation.valid === false) && !session.isReadOnly
  return (
    <Beside ref={box} label="Run" onLeave={onClose} className="w-90">
      <div className="flex flex-col gap-5 p-4 pb-10">
        <header className="flex items-center justify-between gap-2">
          <h2 className="font-semibold text-lg">Run</h2>
          <IconButton label="Close Run" icon={<X size={16} aria-hidden />} onClick={onClose} />
        </header>
        {isRefused && <Refusal onProblems={props.onProblems} />}
        {isRefused && isShown && <h3 className="-mb-2 font-semibold">The run before</h3>}
        {isComparing ? <RunDifferenceView /> : <RunSummaryView />}
        {!session.isReadOnly && !isRefused && <Start {...props} />}
        {!isComparing && <RunOutputs />}
      </div>
    </Beside>
  )
}

const Refusal = ({ onProblems }: Pick<RunPanelProps, 'onProblems'>) => (
  <div className="flex flex-col items-start gap-3">
    <p>This graph cannot run yet. Mend its problems first.</p>
    <Button onClick={onProblems}>Show the problems</Button>
  </div>
)

type StartProps = Omit<RunPanelProps, 'onClose' | 'onProblems'>

function Start(props: StartProps) {
  const { workflowId } = useBase()
  const owner = useOwner()
  const schema = useView(({ checked }) => checked?.schema?.inputSchema)
  const name = `run inputs.${owner}.${workflowId}`
  const [kept, setKept] = useKept<Entries | null>(name, null)
  const first = useQuery({
    queryKey: ['first inputs', workflowId],
    queryFn: () => readValues(workflowId ?? 0),
    enabled: workflowId !== null && kept === null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (!schema || (kept === null && first.isPending)) return <SkeletonRows />
  return (
    <Form
      key={name}
      {...props}
      schema={schema as InputsSchema}
      first={first.data ?? { from: null, values: {} }}
      kept={kept}
      setKept={setKept}
    />
  )
}

type FormProps = StartProps & {
  schema: InputsSchema
  first: Awaited<ReturnType<typeof readValues>>
  kept: Entries | null
  setKept(next: Entries): void
}

function Form({ schema, first, kept, setKept, onSave, onStarted, ...asked }: FormProps) {
  const session = useSessionOf()
  const box = useRef<HTMLDivElement>(null)
  const { startSignal, onStarting, focusSignal } = asked
  useEffect(() => {
    // A page that opens with this panel has not moved the focus to anything else yet.
    const isFree = document.activeElement?.matches('body, section[tabindex="-1"]') ?? true
    // Two runs may be compared above the form: a page that opens is not scrolled past them.
    if (focusSignal > 0 || isFree) focusFirst(box.current, { preventScroll: focusSignal === 0 })
  }, [focusSignal])
  useEffect(() => {
    if (startSignal === 0) return
    onStarting()
    box.current?.querySelector<HTMLFormElement>('[data-run-form]')?.requestSubmit()
  }, [startSignal, onStarting])
  const { version } = useBase()
  const isSaved = useCanvas(({ history, saved }) => history.doc === saved)
  const graph = useCanvas(({ history }) => history.doc.graph)
  const check = useMemo(() => createCheck(schema), [schema])
  const entries = useMemo(
    () => kept ?? toEntries(schema, check, first.values),
    [kept, schema, check, first],
  )
  const source = useSource(session, onSave)
  return (
    <div ref={box} className="flex flex-col gap-4">
      <InputsFrom
        entries={entries}
        schema={schema}
        first={kept === null ? first.from : null}
        onValues={(values) => setKept(toEntries(schema, check, values))}
      />
      <Part />
      <RunFields
        source={source}
        schema={schema}
        values={first.values}
        kept={[entries, (next) => setKept(next(entries))]}
        given={madeIn(graph)}
        from={null}
        onStarted={onStarted}
        {...(isSaved ? {} : { note: draftNote(version ?? 1) })}
      />
    </div>
  )
}

const draftNote = (version: number) =>
  `Runs your draft. Triggers and programs go on with version ${version} until you save a new one.`

/** What of the graph runs, and whether earlier answers are reused. */
function Part() {
  const { view, store } = useSessionOf()
  const asked = useView((state) => state.asked)
  const pins = usePinsToSend()
  const [first] = asked.targets ?? []
  const nameOf = (id: string) => {
    const node = findNode(store.getState().history.doc.graph, id)
    return node ? titleOf(view.getState().types, node) : id
  }
  return (
    <div className="flex flex-col gap-2">
      <Checkbox
        label="Reuse earlier answers"
        hint="What has not changed since an earlier run costs nothing."
        checked={asked.isReusing}
        onChange={({ target }) => view.setState({ asked: { ...asked, isReusing: target.checked } })}
      />
      {first !== undefined && (
        <p className="flex items-center justify-between gap-2 text-sm">
          Runs only {nameOf(first)} and what belongs to it.
          <Button onClick={() => view.setState({ asked: allNodes })}>Run all</Button>
        </p>
      )}
      {pins && (
        <p className="text-sm">
          {Object.keys(pins).map(nameOf).join(', ')}: the pinned result is used, nothing is
          executed.
        </p>
      )}
    </div>
  )
}

function focusFirst(box: HTMLElement | null, options: FocusOptions) {
  const form = box?.querySelector('[data-run-form]')
  const field = form?.querySelector<HTMLElement>('textarea, input:not([hidden])')
  ;(field ?? form?.querySelector<HTMLElement>('[type=submit]'))?.focus(options)
}

/** The graph on the canvas, estimated and run as it is. One without a workflow is saved first. */
function useSource(session: Session, onSave: () => Promise<boolean>): RunSource {
  const graph = useCanvas(({ history }) => history.doc.graph)
  const revision = useRef({ graph, number: 0 })
  if (revision.current.graph !== graph)
    revision.current = { graph, number: revision.current.number + 1 }
  const { number } = revision.current
  const asked = useView((view) => view.asked)
  const pins = usePinsToSend()
  // What a run has paid for, the next one may reuse.
  const ended = useShown(({ run }) => (run && hasEnded(run.state.run) ? run.state.run.runId : ''))
  return useMemo(() => {
    const { workflowId } = session.base
    const part = {
      reuse: asked.isReusing ? ('exact' as const) : ('none' as const),
      ...(asked.targets ? { targets: [...asked.targets] } : {}),
      ...(asked.fresh ? { fresh: [asked.fresh] } : {}),
      ...(pins ? { pins } : {}),
    }
    return {
      name: `canvas ${session.draftId()} ${number} ${JSON.stringify(part)} ${ended}`,
      async estimate(form, signal) {
        const data = session.store.getState().history.doc.graph
        const body = { data, ...form, inputs: { ...form.inputs }, ...part }
        const { estimate } = await checkGraph(
          { ...(workflowId && { workflowId }), ...body },
          signal,
        )
        session.view.setState({ foreseen: estimate })
        return estimate
      },
      async start(body, idempotencyKey) {
        if (session.base.workflowId === null && !(await onSave())) return null
        if (session.base.workflowId === null) return null
        const draft = await session.storeDraft()
        const order = { ...body, ...part, ...(draft ? { draft } : {}) }
        const run = await startRun(session.base.workflowId, order, idempotencyKey)
        // A part is asked for once; the next run is one of all nodes again.
        session.view.setState({ asked: allNodes, foreseen: null })
        return run
      },
      useNames: () => (nodeId) => {
        const node = findNode(session.store.getState().history.doc.graph, nodeId)
        return node ? titleOf(session.view.getState().types, node) : nodeId
      },
    }
  }, [session, number, onSave, asked, pins, ended])
}

/** The pins of nodes that the graph still has, apart from the one that is to be executed. */
function usePinsToSend(): Record<string, string> | null {
  const pins = useShown((shown) => shown.pins)
  const graph = useCanvas(({ history }) => history.doc.graph)
  const fresh = useView((view) => view.asked.fresh)
  return useMemo(() => {
    const sent = Object.entries(pins).filter(
      ([id, { isGone }]) => id !== fresh && !isGone && findNode(graph, id),
    )
    return sent.length > 0 ? Object.fromEntries(sent.map(([id, { runId }]) => [id, runId])) : null
  }, [pins, graph, fresh])
}
