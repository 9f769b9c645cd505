import type { KeyboardEvent } from 'react'
import type { Actions } from './actions.ts'
import type { CanvasUi } from './canvas-ui.ts'
import { alongWires, readings } from './describe.ts'
import { openMenuByKey } from './flow-menu.ts'
import { typeInfo } from './node-types.ts'
import { orderNodes } from './order.ts'
import { nodeInRun, spoken } from './run/foot.ts'
import { previewsAt } from './run/shown-run.ts'
import type { Session } from './session.ts'

const steps: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}
const smallStep = 8
const largeStep = 64

type Env = { session: Session; actions: Actions; ui: CanvasUi; onInspect(): void }

/** Keys that act on the graph while it has the focus. The others are in use-canvas-shortcuts. */
export function handleCanvasKey(event: KeyboardEvent, env: Env) {
  if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey) return
  if (act(event, env)) {
    event.preventDefault()
    event.stopPropagation()
  }
}

function act(event: KeyboardEvent, { session, actions, ui, onInspect }: Env): boolean {
  const { store, view } = session
  const [current] = store.getState().selection.nodes
  const step = steps[event.key]
  if (step && event.altKey) return follow(session, event.key, current)
  if (step) {
    if (current === undefined) return selectEnd(session, 'first')
    const size = event.shiftKey ? largeStep : smallStep
    actions.nudge({ x: step[0] * size, y: step[1] * size })
    return true
  }
  switch (event.key) {
    case 'Home':
      return selectEnd(session, 'first')
    case 'End':
      return selectEnd(session, 'last')
    case 'Delete':
    case 'Backspace':
      actions.deleteSelected()
      return true
    case 'Enter':
      if (current !== undefined) onInspect()
      return true
    case 'F2':
      if (current !== undefined) ui.rename(current)
      return true
    case 'c':
      if (current !== undefined) view.setState({ connectFrom: current })
      return true
    case 'm':
      actions.toggleMode('mute')
      return true
    case 'b':
      actions.toggleMode('bypass')
      return true
    case 'o':
      if (current !== undefined) ui.openResult(current)
      return true
    case 'p':
      if (current !== undefined) ui.togglePin(current)
      return true
    case 'ContextMenu':
    case 'F10':
      if (event.key === 'F10' && !event.shiftKey) return false
      openMenuByKey(session)
      return true
    case 'Escape':
      store.getState().select({})
      view.setState({ refusal: null })
      return true
    default:
      return false
  }
}

function follow(session: Session, key: string, current: string | undefined): boolean {
  if (current === undefined) return selectEnd(session, 'first')
  const { graph } = session.store.getState().history.doc
  const next = alongWires(graph, current, key as Parameters<typeof alongWires>[2])
  if (next === null) session.say('No node that way')
  else selectNode(session, next)
  return true
}

function selectEnd(session: Session, end: 'first' | 'last'): boolean {
  const ordered = orderNodes(session.store.getState().history.doc.graph)
  const node = end === 'first' ? ordered[0] : ordered.at(-1)
  if (node) selectNode(session, node.id)
  return true
}

/** Selects one node and announces it. */
export function selectNode(session: Session, id: string) {
  const { store, view } = session
  store.getState().select({ nodes: new Set([id]) })
  const { types, portsOf, problemsOf } = view.getState()
  const words = readings(store.getState().history.doc.graph, {
    portsOf,
    typeLabel: (type) => typeInfo(types, type)?.label ?? type,
    problems: (nodeId) => problemsOf.get(nodeId)?.length ?? 0,
  })
  const { run, pins } = session.shown.getState()
  const inRun = run && nodeInRun(run.state, id)
  const result = inRun ? `, ${spoken(inRun, previewsAt({ run, pins }, id))}` : ''
  session.say(`${words.get(id) ?? ''}${result}`)
}
