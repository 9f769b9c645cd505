import assert from 'node:assert/strict'
import { test } from 'node:test'
import { viewWithin, withNodeIn } from '#console/canvas/view-within.ts'

const view = { x: 100, y: 50, zoom: 1 }
const had = { width: 1000, height: 400 }
const frame = { had, now: { width: 700, height: 400 } }
const row = (...starts: number[]) => starts.map((x) => ({ x, y: 0, width: 200, height: 100 }))

test('a graph that still fits stays where it is', () => {
  assert.deepEqual(viewWithin(view, row(0, 300), frame), view)
})

test('a graph that a panel would cover moves aside', () => {
  assert.deepEqual(viewWithin(view, row(100, 400), frame), { x: 84, y: 50, zoom: 1 })
})

test('a graph that does not fit any more becomes smaller, around the same middle', () => {
  const shown = viewWithin({ ...view, x: 20 }, row(0, 300, 700), frame)
  assert.ok(Math.abs(shown.x - 16) < 0.001)
  assert.ok(shown.zoom < 1 && shown.x + 900 * shown.zoom <= 700 - 15)
  assert.ok(Math.abs((200 - shown.y) / shown.zoom - 150) < 0.001)
})

test('a panel below pushes as one beside does', () => {
  const tall = [...row(0), { x: 0, y: 220, width: 200, height: 100 }]
  const now = { width: 1000, height: 300 }
  const shown = viewWithin(view, tall, { had, now })
  assert.ok(shown.zoom < 1 && shown.y >= 15 && shown.y + 320 * shown.zoom <= 300 - 15)
})

test('of a graph that was visible in part, what was visible moves aside but never shrinks', () => {
  const part = row(-400, 100, 400)
  assert.deepEqual(viewWithin(view, part, frame), { x: 84, y: 50, zoom: 1 })
  assert.equal(viewWithin(view, row(-400, -90, 690), frame), view)
})

test('a graph that was wholly visible stays so, however small that makes it', () => {
  const far = { x: 20, y: 50, zoom: 0.15 }
  const shown = viewWithin(far, row(0, 3000, 5800), frame)
  assert.ok(shown.zoom < 0.15 && shown.x + 6000 * shown.zoom <= 700 - 15)
  const near = viewWithin({ x: 10, y: 50, zoom: 0.6 }, row(0, 700, 1400), frame)
  assert.ok(near.zoom < 0.5 && near.x >= 0 && near.x + 1600 * near.zoom <= 700 - 15)
})

test('a hidden node is moved to, a half hidden one only as far as needed', () => {
  const [box] = row(500)
  assert.ok(box)
  assert.equal(withNodeIn(view, box, had), view)
  assert.equal(withNodeIn(view, box, frame.now).x, -16)
  assert.equal(withNodeIn({ ...view, x: 900 }, box, frame.now).x, -250)
})
