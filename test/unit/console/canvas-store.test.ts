import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nudgeAll } from '../../../console/src/canvas/drawings.ts'
import { addNodes, type Doc, emptyGraph } from '../../../console/src/canvas/graph.ts'
import { createCanvasStore } from '../../../console/src/canvas/store.ts'

const blank: Doc = { name: 'New', graph: emptyGraph }
const node = (id: string) => ({ id, type: 'output', position: { x: 0, y: 0 }, data: {} })

test('undo says what it undid and selects what it brought back, also past a save', () => {
  let nowMs = 0
  const store = createCanvasStore(blank, blank, () => nowMs)
  const { editGraph, undo, redo, markSaved, endBurst } = store.getState()
  editGraph({ label: 'Add node' }, (graph) => addNodes(graph, [node('a')]))
  for (let i = 0; i < 3; i++) {
    nowMs += 100
    editGraph({ label: 'Move node', burst: 'nudge' }, (graph) =>
      nudgeAll(graph, new Set(['a']), { x: 8, y: 0 }),
    )
  }
  markSaved(store.getState().history.doc)
  endBurst()
  assert.equal(undo(), 'Move node')
  assert.deepEqual(store.getState().history.doc.graph.nodes[0]?.position, { x: 0, y: 0 })
  assert.deepEqual([...store.getState().selection.nodes], ['a'])
  assert.notEqual(store.getState().history.doc, store.getState().saved)
  assert.equal(redo(), 'Move node')
  assert.equal(store.getState().history.doc, store.getState().saved)
  assert.equal(undo(), 'Move node')
  assert.equal(undo(), 'Add node')
  assert.equal(undo(), null)
})

test('an edit without effect is not an undo step', () => {
  const store = createCanvasStore(blank, null, () => 0)
  store.getState().editGraph({ label: 'Nothing' }, (graph) => graph)
  assert.equal(store.getState().history.past.length, 0)
})
