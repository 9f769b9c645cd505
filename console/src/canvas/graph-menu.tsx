import { type MenuItem, PointMenu } from '#console/ui/menu.tsx'
import type { Actions } from './actions.ts'
import { type CanvasUi, useCanvasUi } from './canvas-ui.ts'
import { useSessionOf, useView } from './context.ts'
import { modeOf, type NodeMode } from './draw-actions.ts'
import { findNote } from './drawings.ts'
import { findNode } from './graph.ts'
import { graphElement } from './graph-element.ts'
import { copySelected, pasteHere } from './menu-clipboard.ts'
import { mayBePinned } from './run/use-pins.ts'
import type { Session } from './session.ts'

type GraphMenuProps = {
  actions: Actions
  /** Brings everything into view. */
  showAll(): void
}

/** What can be done with a node, a selection, a wire or the empty graph, where the pointer is. */
export function GraphMenu({ actions, showAll }: GraphMenuProps) {
  const session = useSessionOf()
  const menu = useView((state) => state.menu)
  const ui = useCanvasUi()
  if (!menu) return null
  const close = () => session.view.setState({ menu: null })
  return (
    <PointMenu
      label="Actions"
      at={menu.screen}
      items={itemsFor(session, actions, ui, showAll)}
      onClose={close}
      finalFocus={graphElement}
    />
  )
}

/** What moves the focus does so after the menu has given it back to the graph. */
const afterClosing = (act: () => void) => void requestAnimationFrame(act)

function itemsFor(
  session: Session,
  actions: Actions,
  ui: CanvasUi,
  showAll: () => void,
): MenuItem[] {
  const { nodes, wires } = session.store.getState().selection
  const [nodeId] = nodes
  if (nodes.size > 1) return manyItems(session, actions)
  if (nodeId !== undefined && findNote(session.store.getState().history.doc.graph, nodeId))
    return noteItems(session, actions)
  if (nodeId !== undefined) return nodeItems(session, actions, ui, nodeId)
  if (wires.size > 0) return wireItems(session, actions)
  const at = session.view.getState().menu?.at ?? null
  return [
    ...(session.isReadOnly
      ? []
      : [
          {
            label: 'Add a node here',
            shortcut: 'a',
            onSelect: () => session.view.setState({ picker: { at, loose: null } }),
          },
          {
            label: 'Add a note here',
            shortcut: 'n',
            onSelect: () => {
              const id = actions.addNote(at)
              if (id !== null) afterClosing(() => ui.openResult(id))
            },
          },
          {
            label: 'Paste here',
            shortcut: 'Mod+V',
            onSelect: () => void pasteHere(session, actions, at ?? { x: 0, y: 0 }),
          },
          { label: 'Tidy', shortcut: 'l', onSelect: actions.tidy },
        ]),
    { label: 'Select all', shortcut: 'Mod+A', onSelect: actions.selectAll },
    { label: 'Show everything', shortcut: 'Shift+1', onSelect: showAll },
  ]
}

function nodeItems(session: Session, actions: Actions, ui: CanvasUi, nodeId: string): MenuItem[] {
  const { run, pins } = session.shown.getState()
  const hasResult = run?.previews[nodeId] !== undefined || pins[nodeId] !== undefined
  const node = findNode(session.store.getState().history.doc.graph, nodeId)
  const results: MenuItem[] = [
    {
      label: 'Open the result',
      shortcut: 'o',
      disabled: !hasResult,
      onSelect: () => afterClosing(() => ui.openResult(nodeId)),
    },
    {
      label: pins[nodeId] ? 'Unpin the result' : 'Pin the result',
      shortcut: 'p',
      disabled: !hasResult || (node !== undefined && !mayBePinned(node)),
      onSelect: () => ui.togglePin(nodeId),
    },
  ]
  if (session.isReadOnly) return results
  return [
    {
      label: 'Run this node',
      shortcut: 'Alt+Mod+Enter',
      onSelect: () => afterClosing(() => ui.runPart({ only: nodeId })),
    },
    {
      label: 'Run to here',
      shortcut: 'Shift+Mod+Enter',
      onSelect: () => afterClosing(() => ui.runPart({ to: nodeId })),
    },
    {
      label: 'Run from here',
      onSelect: () => afterClosing(() => ui.runPart({ from: nodeId })),
    },
    {
      label: 'Run all again without reuse',
      onSelect: () => afterClosing(() => ui.runPart('without reuse')),
    },
    { separator: true },
    ...results,
    { separator: true },
    {
      label: 'Settings',
      shortcut: 'Enter',
      onSelect: () => afterClosing(() => ui.openResult(nodeId)),
    },
    {
      label: 'Connect',
      shortcut: 'c',
      onSelect: () => session.view.setState({ connectFrom: nodeId }),
    },
    ...modeItems(session, actions, nodeId),
    {
      label: 'Rename',
      shortcut: 'F2',
      onSelect: () => afterClosing(() => ui.rename(nodeId)),
    },
    ...copyItems(session, actions),
  ]
}

function modeItems({ store }: Session, actions: Actions, nodeId: string): MenuItem[] {
  const node = findNode(store.getState().history.doc.graph, nodeId)
  const mode = node && modeOf(node)
  const item = (which: NodeMode, label: string, shortcut: string): MenuItem => ({
    label: mode === which ? 'Include in runs' : label,
    shortcut,
    onSelect: () => actions.toggleMode(which),
  })
  return [item('mute', 'Mute', 'm'), item('bypass', 'Bypass', 'b')]
}

function manyItems(session: Session, actions: Actions): MenuItem[] {
  if (session.isReadOnly) return [{ heading: 'Nothing can be changed here' }]
  return [
    { heading: `${session.store.getState().selection.nodes.size} nodes` },
    { label: 'Align left', onSelect: () => actions.align('left') },
    { label: 'Align top', onSelect: () => actions.align('top') },
    { label: 'Space out', onSelect: () => actions.align('spread') },
    { label: 'Tidy the selection', onSelect: actions.tidySelected },
    { separator: true },
    actions.groupSelected()
      ? { label: 'Ungroup', shortcut: 'Shift+Mod+G', onSelect: actions.ungroup }
      : { label: 'Group', shortcut: 'Mod+G', onSelect: actions.group },
    { label: 'Mute', shortcut: 'm', onSelect: () => actions.toggleMode('mute') },
    { label: 'Bypass', shortcut: 'b', onSelect: () => actions.toggleMode('bypass') },
    { separator: true },
    ...copyItems(session, actions),
  ]
}

const copyItems = (session: Session, actions: Actions): MenuItem[] => [
  { label: 'Copy', shortcut: 'Mod+C', onSelect: () => void copySelected(session, actions) },
  { label: 'Duplicate', shortcut: 'Mod+D', onSelect: actions.duplicate },
  { label: 'Delete', shortcut: 'Delete', danger: true, onSelect: actions.deleteSelected },
]

function noteItems(session: Session, actions: Actions): MenuItem[] {
  if (session.isReadOnly) return [{ heading: 'Nothing can be changed here' }]
  return copyItems(session, actions)
}

function wireItems(session: Session, actions: Actions): MenuItem[] {
  if (session.isReadOnly) return [{ heading: 'Nothing can be changed here' }]
  return [
    {
      label: 'Remove the connection',
      shortcut: 'Delete',
      danger: true,
      onSelect: actions.deleteSelected,
    },
  ]
}
