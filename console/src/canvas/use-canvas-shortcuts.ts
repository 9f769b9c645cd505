import { useQueryClient } from '@tanstack/react-query'
import { useReactFlow } from '@xyflow/react'
import { type RefObject, useEffect } from 'react'
import { addShortcut, isTextField } from '#console/lib/shortcuts.ts'
import { useShortcut } from '#console/lib/use-shortcut.ts'
import type { Actions } from './actions.ts'
import { selectNode } from './canvas-keys.ts'
import type { CanvasUi, RunPart } from './canvas-ui.ts'
import { useSessionOf } from './context.ts'
import type { Position } from './graph.ts'
import { focusGraph } from './graph-element.ts'
import { keepCopied, pasteText } from './menu-clipboard.ts'
import type { PlacedProblem } from './placed-problem.ts'
import { nextProblem } from './problems.ts'
import { readPicture } from './read-picture.ts'
import type { ShownRunAddress } from './run/run-address.ts'
import type { Session } from './session.ts'
import { wholeGraph } from './view-within.ts'

const group = 'Canvas'

/** Handled by the graph itself or by the browser; listed here only for completeness. */
const listed: [keys: string, label: string][] = [
  ['Mod+C', 'Copy nodes'],
  ['Mod+X', 'Cut nodes'],
  ['Mod+V', 'Paste nodes'],
  ['Delete', 'Delete the selection'],
  ['c', 'Connect from the selected node'],
  ['Enter', 'Settings of the selected node'],
  ['F2', 'Rename the selected node'],
  ['o', 'Result of the selected node'],
  ['p', 'Pin the result of the selected node'],
  ['m', 'Mute the selected nodes'],
  ['b', 'Bypass the selected nodes'],
  ['Shift+F10', 'Menu of the selected node'],
  ['Arrows', 'Move by 8, with Shift by 64'],
  ['Alt+Arrows', 'Follow the wires'],
  ['Home', 'First node'],
]

type Env = {
  actions: Actions
  pointer: RefObject<Position | null>
  ui: CanvasUi
  shown: ShownRunAddress
  onSave(): void
  onRun(): void
  onProblem(problem: PlacedProblem): void
}

/** Keys that work on the whole screen, outside text fields. */
export function useCanvasShortcuts(env: Env) {
  const { actions, pointer, onSave, onRun, onProblem } = env
  const session = useSessionOf()
  const flow = useReactFlow()
  useRunShortcuts(session, env)
  useShortcut('Mod+S', 'Save a version', onSave, { group })
  useShortcut('Mod+Enter', 'Run', onRun, { group })
  useShortcut('Mod+Z', 'Undo', actions.undo, { group })
  useShortcut('Shift+Mod+Z', 'Redo', actions.redo, { group })
  useShortcut('Mod+Y', 'Redo', actions.redo, { group })
  useShortcut('Mod+D', 'Duplicate', actions.duplicate, { group })
  useShortcut('Mod+A', 'Select all nodes', actions.selectAll, { group })
  useShortcut('l', 'Tidy', actions.tidy, { group })
  useShortcut('Mod+G', 'Group the selected nodes', actions.group, { group })
  useShortcut('Shift+Mod+G', 'Ungroup', actions.ungroup, { group })
  useShortcut('n', 'Add a note', () => addNote(env), { group })
  useShortcut(
    'a',
    'Add a node',
    () => {
      // Behind a selected node, even if the pointer happens to rest on the graph.
      const { nodes } = session.store.getState().selection
      const at = nodes.size === 1 ? null : pointer.current
      session.view.setState({ picker: { at, loose: null } })
    },
    { group },
  )
  useShortcut('Shift+1', 'Show everything', () => void flow.fitView(wholeGraph), { group })
  useShortcut('Shift+2', 'Zoom to 100%', () => void flow.zoomTo(1), { group })
  useShortcut('f', 'Show the selection', () => showSelection(), { group })
  useShortcut(
    'F8',
    'Next problem, or the failed node',
    () => {
      const { problems, currentProblem } = session.view.getState()
      const next = nextProblem(problems, currentProblem)
      if (!next) return showFailure(session)
      session.view.setState({ currentProblem: next })
      if (next.nodeId !== undefined) {
        selectNode(session, next.nodeId)
        void flow.fitView({ nodes: [{ id: next.nodeId }], maxZoom: 1, duration: 200 })
      }
      session.say(next.words)
      onProblem(next)
    },
    { group },
  )

  const showSelection = () => {
    const ids = [...session.store.getState().selection.nodes]
    void flow.fitView({
      ...(ids.length > 0 ? { nodes: ids.map((id) => ({ id })) } : {}),
      maxZoom: 1,
    })
  }

  useEffect(() => {
    const removals = listed.map(([keys, label]) => addShortcut({ keys, label, group, run: null }))
    return () => {
      for (const remove of removals) remove()
    }
  }, [])
  useEffect(
    () => clipboardEvents(session, actions, () => pointer.current ?? middleOf(flow)),
    [session, actions, pointer, flow],
  )
}

/** What is typed next is the text of the note. */
function addNote({ actions, pointer, ui }: Env) {
  const id = actions.addNote(pointer.current)
  if (id !== null) ui.openResult(id)
}

/** Keys of runs: for a part of the graph, and from one shown run to the next. */
function useRunShortcuts(session: Session, { ui, shown }: Env) {
  const runPart = (partOf: (nodeId: string) => RunPart) => () => {
    const [nodeId] = session.store.getState().selection.nodes
    if (nodeId === undefined) session.say('Select a node first')
    else ui.runPart(partOf(nodeId))
  }
  const toHere = runPart((to) => ({ to }))
  const onlyThis = runPart((only) => ({ only }))
  useShortcut('Shift+Mod+Enter', 'Run to the selected node', toHere, { group })
  useShortcut('Alt+Mod+Enter', 'Run the selected node', onlyThis, { group })
  useShortcut(
    'v',
    'Fold or unfold all results',
    () => session.shown.setState(({ isFolded }) => ({ isFolded: !isFolded })),
    { group },
  )
  const client = useQueryClient()
  const step = (by: number) => {
    const listed = client.getQueriesData<{ items: { runId: string }[] }>({
      queryKey: ['runs of', session.base.workflowId],
    })
    const runs = listed.at(-1)?.[1]?.items
    if (!runs) return session.say('The runs are still being read')
    const ids = runs.map(({ runId }) => runId)
    const at = shown.runId === null ? -1 : ids.indexOf(shown.runId)
    const next = ids[at < 0 ? 0 : at + by]
    if (next === undefined) session.say('No further run')
    else shown.onShow(next)
  }
  useShortcut('[', 'Older run', () => step(1), { group })
  useShortcut(']', 'Newer run', () => step(-1), { group })
}

/** A sound graph may still have failed when it ran. */
function showFailure(session: Session) {
  const errors = session.shown.getState().run?.state.run.nodeErrors ?? []
  const failed = errors.find(({ nodeId }) => nodeId !== '')
  if (!failed) return session.say('No problems')
  selectNode(session, failed.nodeId)
  focusGraph()
}

const middleOf = (flow: ReturnType<typeof useReactFlow>): Position =>
  flow.screenToFlowPosition({ x: window.innerWidth / 2, y: window.innerHeight / 2 })

/**
 * Copy, cut and paste through the page's clipboard events, which need neither permission nor https;
 * the text goes through the system's clipboard.
 */
function clipboardEvents(
  session: ReturnType<typeof useSessionOf>,
  actions: Actions,
  at: () => Position,
): () => void {
  const isElsewhere = (event: Event) =>
    isTextField(event.target) || document.querySelector('[role="dialog"]') !== null
  const onCopy = (event: ClipboardEvent) => {
    if (isElsewhere(event) || !window.getSelection()?.isCollapsed) return
    const text = actions.copied()
    if (text === null || !event.clipboardData) return
    event.clipboardData.setData('text/plain', text)
    keepCopied(text)
    event.preventDefault()
    if (event.type === 'cut') actions.deleteSelected()
    else session.say('Copied')
  }
  const paste = (text: string, place: Position) => pasteText(session, actions, text, place)
  const pastePicture = async (file: File, place: Position) => {
    const read = await readPicture(file)
    if (read.ok) return paste(read.text, place)
    session.view.setState({ notice: read.why })
    session.say(read.why)
  }
  const onPaste = (event: ClipboardEvent) => {
    if (isElsewhere(event)) return
    event.preventDefault()
    const [file] = event.clipboardData?.files ?? []
    if (file) return void pastePicture(file, at())
    paste(event.clipboardData?.getData('text/plain') ?? '', at())
  }
  document.addEventListener('copy', onCopy)
  document.addEventListener('cut', onCopy)
  document.addEventListener('paste', onPaste)
  return () => {
    document.removeEventListener('copy', onCopy)
    document.removeEventListener('cut', onCopy)
    document.removeEventListener('paste', onPaste)
  }
}
