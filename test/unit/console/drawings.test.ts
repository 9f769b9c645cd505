import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clearOfOthers, tidied } from '../../../console/src/canvas/arrange.ts'
import { copyNodes, pasteNodes } from '../../../console/src/canvas/clipboard.ts'
import {
  addNotes,
  groupsOf,
  makeGroup,
  mergeDrawings,
  moveAll,
  notesOf,
  removeAll,
  setText,
  setTitle,
  ungroup,
} from '../../../console/src/canvas/drawings.ts'
import { explainGraph } from '../../../console/src/canvas/explain.ts'
import { type Graph, readGraph } from '../../../console/src/canvas/graph.ts'
import { mergeGraphs } from '../../../console/src/canvas/merge.ts'

const node = (id: string, x: number, y: number, rest = {}) => ({
  id,
  type: 'text.template',
  position: { x, y },
  data: {},
  ...rest,
})
const plain: Graph = {
  nodes: [node('a', 0, 0), node('b', 400, 0), node('c', 800, 0)],
  connections: [
    { source: 'a', target: 'b' },
    { source: 'b', target: 'c' },
  ],
}
const drawn = addNotes(makeGroup(plain, { id: 'group', title: 'Both', nodes: ['a', 'b'] }), [
  { id: 'note', text: 'Why', position: { x: 0, y: 300 } },
])
const portsOf = () => ({ inputs: [{ name: 'in', type: 'any' as const }], outputs: [] })

test('what is pasted on other nodes moves below them, in its own shape', () => {
  const pasted = pasteNodes(copyNodes(plain, new Set(['a', 'b'])), plain, { x: 420, y: 20 })
  assert.ok(pasted.ok)
  const placeIn = (graph: Graph, id: string) => graph.nodes.find((one) => one.id === id)?.position
  const clear = clearOfOthers(pasted.graph, pasted.ids, portsOf)
  const [first, second] = [...pasted.ids].map((id) => placeIn(clear, id))
  assert.ok(first && second)
  assert.equal(first.x, 420)
  assert.ok(first.y > 112, `${first.y} is below the card of b`)
  assert.deepEqual(second, { x: first.x + 400, y: first.y })
  assert.deepEqual(placeIn(clear, 'b'), { x: 400, y: 0 })
  const free = pasteNodes(copyNodes(plain, new Set(['a'])), plain, { x: 0, y: 900 })
  assert.ok(free.ok)
  assert.deepEqual(clearOfOthers(free.graph, free.ids, portsOf), free.graph)
})

test('groups and notes are copied with their nodes, and pasted under free names', () => {
  const text = copyNodes(drawn, new Set(['a', 'b', 'note']))
  const pasted = pasteNodes(text, drawn, { x: 1000, y: 1000 })
  assert.ok(pasted.ok)
  assert.deepEqual(
    groupsOf(pasted.graph).map(({ id, title, nodes }) => [id, title, nodes.join()]),
    [
      ['group', 'Both', 'a,b'],
      ['group-2', 'Both', 'a-2,b-2'],
    ],
  )
  assert.deepEqual(notesOf(pasted.graph)[1], {
    id: 'note-2',
    text: 'Why',
    position: { x: 1000, y: 1300 },
  })
  const half = pasteNodes(copyNodes(drawn, new Set(['a'])), drawn, { x: 0, y: 0 })
  assert.ok(half.ok && groupsOf(half.graph).length === 1, 'half a group is not copied')
})

test('a group loses what is deleted, and goes with its last node', () => {
  const one = removeAll(drawn, new Set(['a', 'note']))
  assert.deepEqual(groupsOf(one)[0]?.nodes, ['b'])
  assert.deepEqual(notesOf(one), [])
  assert.deepEqual(groupsOf(removeAll(one, new Set(['b']))), [])
  assert.equal(removeAll(plain, new Set(['x'])), plain)
})

test('a node is in one group at most, and ungrouping keeps the nodes', () => {
  const moved = makeGroup(drawn, { id: 'other', title: 'Two', nodes: ['b', 'c'] })
  assert.deepEqual(
    groupsOf(moved).map(({ nodes }) => nodes.join()),
    ['a', 'b,c'],
  )
  assert.equal(ungroup(drawn, new Set(['a'])).nodes, drawn.nodes)
  assert.deepEqual(groupsOf(ungroup(drawn, new Set(['a']))), [])
})

test('what another editor keeps under the same names stays, and breaks nothing', () => {
  const foreign = readGraph({ ...plain, groups: [{ bounding: [1, 2] }], notes: 'a string' })
  assert.ok(foreign)
  assert.deepEqual(groupsOf(foreign), [])
  assert.deepEqual(notesOf(foreign), [])
  const grouped = makeGroup(foreign, { id: 'group', title: 'Mine', nodes: ['a'] })
  assert.deepEqual((grouped.groups as unknown[])[0], { bounding: [1, 2] })
  assert.deepEqual(moveAll(foreign, new Map()), foreign)
})

test('tidying keeps the nodes of a group together, and others out of its frame', () => {
  const tidy = tidied(makeGroup(plain, { id: 'g', title: '', nodes: ['a', 'c'] }), portsOf)
  const at = (id: string) => tidy.nodes.find((one) => one.id === id)?.position ?? { x: 0, y: 0 }
  const [a, b, c] = [at('a'), at('b'), at('c')]
  const isBetween =
    b.x > Math.min(a.x, c.x) - 252 &&
    b.x < Math.max(a.x, c.x) + 252 &&
    b.y > Math.min(a.y, c.y) - 160 &&
    b.y < Math.max(a.y, c.y) + 160
  assert.equal(isBetween, false, JSON.stringify({ a, b, c }))
})

test('a note that a tidied node would cover goes below everything; others stay', () => {
  const graph = addNotes(plain, [
    { id: 'under', text: '', position: { x: 10, y: 10 } },
    { id: 'aside', text: '', position: { x: -2000, y: 0 } },
  ])
  const [under, aside] = notesOf(tidied(graph, portsOf)).map(({ position }) => position)
  assert.deepEqual(aside, { x: -2000, y: 0 })
  assert.ok((under?.y ?? 0) > 120)
})

test('what two people drew is kept, mine where both changed the same', () => {
  const mine = setTitle(setText(drawn, 'note', 'Mine'), 'group', 'My title')
  const theirs = addNotes(setText(drawn, 'note', 'Theirs'), [
    { id: 'note-2', text: 'New', position: { x: 0, y: 0 } },
  ])
  const { resolve } = mergeGraphs({ base: drawn, mine, theirs })
  const merged = resolve(new Map())
  assert.deepEqual(
    notesOf(merged).map(({ text }) => text),
    ['New', 'Mine'],
  )
  assert.equal(groupsOf(merged)[0]?.title, 'My title')
  assert.deepEqual(mergeDrawings(plain, plain, plain), {})
  const removed = removeAll(drawn, new Set(['note']))
  assert.deepEqual(mergeDrawings(drawn, removed, drawn).notes, [])
})

test('the explanation says which nodes are left out of runs', () => {
  const graph = { nodes: [node('a', 0, 0, { mode: 'mute' })], connections: [] }
  const types = { portTypes: [], accepts: {}, items: [] }
  assert.match(explainGraph(graph, types).steps[0]?.text ?? '', /^Muted: it does not run/)
})
