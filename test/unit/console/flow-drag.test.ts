import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CheckedWorkflow } from '../../../console/src/api/types.ts'
import { createActions } from '../../../console/src/canvas/actions.ts'
import { dragHandlers } from '../../../console/src/canvas/flow-drag.ts'
import type { Doc } from '../../../console/src/canvas/graph.ts'
import type { CardNode } from '../../../console/src/canvas/nodes/node-card.tsx'
import type { Session } from '../../../console/src/canvas/session.ts'
import { createCanvasStore } from '../../../console/src/canvas/store.ts'
import { createViewStore, showCheck } from '../../../console/src/canvas/view-store.ts'

const node = (id: string, x: number, y: number) => ({
  id,
  type: 'text.template',
  position: { x, y },
  data: {},
})
const doc: Doc = {
  name: 'Drag',
  graph: {
    nodes: [node('a', 0, 0), node('b', 1000, 0), node('c', 0, 600)],
    connections: [{ source: 'a', sourceHandle: 'out', target: 'b', targetHandle: 'in' }],
  },
}
const ports = {
  inputs: [{ name: 'in', type: 'text' as const }],
  outputs: [{ name: 'out', type: 'text' as const }],
}

function openDrag() {
  const store = createCanvasStore(doc, doc, () => 0)
  const view = createViewStore({ portTypes: ['text'], accepts: { text: ['text'] }, items: [] }, [])
  view.setState({ portsOf: () => ports })
  const session = { store, view, isReadOnly: false, say: () => {} } as unknown as Session
  const handlers = dragHandlers(
    session,
    createActions(session, () => {}),
  )
  const card = (id: string) => ({ id }) as CardNode
  return {
    store,
    view,
    start: (...ids: string[]) => handlers.onNodeDragStart(null, null, ids.map(card)),
    move(id: string, x: number, y: number) {
      handlers.onNodesChange([{ type: 'position', id, position: { x, y } }])
      handlers.onNodeDrag()
    },
    end: () => handlers.onNodeDragStop(),
  }
}

test('a drag changes the document once, when the node is dropped', () => {
  const { store, view, start, move, end } = openDrag()
  start('a')
  for (let step = 1; step <= 20; step++) move('a', step * 5, step)
  assert.equal(store.getState().history.doc, doc, 'as before')
  assert.deepEqual(view.getState().moved.get('a'), { x: 100, y: 20 })
  end()
  assert.deepEqual(store.getState().history.doc.graph.nodes[0]?.position, { x: 100, y: 20 })
  assert.equal(view.getState().moved.size, 0)
  assert.equal(store.getState().undo(), 'Move 1 node')
  assert.equal(store.getState().history.doc, doc)
})

test('a node that is dropped where it was changes nothing', () => {
  const { store, start, end, move } = openDrag()
  start('a')
  move('a', 300, 0)
  move('a', 0, 0)
  end()
  assert.equal(store.getState().undo(), null)
})

test('a wire under a dragged node is marked while it moves, and takes it in one step', () => {
  const { store, view, start, move, end } = openDrag()
  start('c')
  move('c', 500, 0)
  assert.equal(view.getState().dropWire, 'a.out>b.in')
  end()
  assert.equal(view.getState().dropWire, null)
  const { graph } = store.getState().history.doc
  assert.deepEqual(
    graph.connections.map(({ source, target }) => `${source} to ${target}`),
    ['a to c', 'c to b'],
  )
  assert.equal(store.getState().undo(), 'Insert into the wire')
  assert.equal(store.getState().history.doc, doc)
})

test('the answer after a drop leaves ports as they are unless one of them changed', () => {
  const { view } = openDrag()
  const answer = (names: string[]) =>
    showCheck(view, doc.graph, {
      validation: { isValid: true, errors: [], warnings: [] },
      ports: Object.fromEntries(names.map((id) => [id, structuredClone(ports)])),
      schema: null,
      estimate: null,
    } as unknown as CheckedWorkflow)
  answer(['a', 'b', 'c'])
  const { portsOf } = view.getState()
  answer(['a', 'b', 'c'])
  assert.equal(view.getState().portsOf, portsOf)
  answer(['a', 'b'])
  assert.notEqual(view.getState().portsOf, portsOf)
})
