import assert from 'node:assert/strict'
import { test } from 'node:test'
import { viewWithin } from '#console/canvas/view-within.ts'

const view = { x: 100, y: 50, zoom: 1 }
const frame = { had: 1000, width: 700, height: 400 }

test('a graph that still fits stays where it is', () => {
  assert.equal(viewWithin(view, { x: 0, width: 500 }, frame), view)
})

test('a graph that a panel would cover moves aside', () => {
  const moved = viewWithin(view, { x: 100, width: 500 }, frame)
  assert.deepEqual(moved, { x: 84, y: 50, zoom: 1 })
})

test('a graph that does not fit any more becomes smaller, around the same middle', () => {
  const shown = viewWithin({ ...view, x: 20 }, { x: 0, width: 900 }, frame)
  assert.equal(shown.x, 16)
  assert.ok(shown.zoom < 1 && shown.x + 900 * shown.zoom <= 700 - 15)
  assert.equal((200 - shown.y) / shown.zoom, 150)
})

test('a graph that was not wholly visible is left alone', () => {
  assert.equal(viewWithin(view, { x: -400, width: 900 }, frame).x, 100)
  assert.equal(viewWithin(view, { x: 0, width: 5000 }, frame).x, 100)
})

test('a large graph, already too small to read, becomes smaller too and never larger', () => {
  const shown = viewWithin({ x: 20, y: 50, zoom: 0.15 }, { x: 0, width: 6000 }, frame)
  assert.ok(shown.zoom < 0.15 && shown.x + 6000 * shown.zoom <= 700 - 15)
})
