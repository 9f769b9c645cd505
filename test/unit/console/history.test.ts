import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  burstMs,
  endBurst,
  type History,
  maxSteps,
  record,
  redo,
  startHistory,
  undo,
} from '../../../console/src/canvas/history.ts'

const change = (doc: string, burst?: string) => (history: History<string>, atMs: number) =>
  record(history, doc, { label: `to ${doc}`, ...(burst ? { burst } : {}) }, atMs)

test('a burst of typing is one step, and a pause begins another', () => {
  let history = startHistory('')
  history = change('h', 'type')(history, 0)
  history = change('he', 'type')(history, burstMs)
  history = change('hey', 'type')(history, 2 * burstMs + 1)
  assert.equal(history.past.length, 2)
  history = undo(history)
  assert.equal(history.doc, 'he')
  assert.equal(undo(history).doc, '')
})

test('another intention, or the end of a burst, begins a step of its own', () => {
  let history = change('a', 'type:1')(startHistory(''), 0)
  history = change('ab', 'type:2')(history, 1)
  history = change('abc', 'type:2')(endBurst(history), 2)
  assert.equal(history.past.length, 3)
})

test('an unchanged document is not an undo step', () => {
  const history = change('a')(startHistory('a'), 0)
  assert.equal(history.past.length, 0)
})

test('200 steps are kept, the oldest goes first', () => {
  let history = startHistory('0')
  for (let i = 1; i <= maxSteps + 5; i++) history = change(String(i))(history, i)
  assert.equal(history.past.length, maxSteps)
  for (let i = 0; i < maxSteps; i++) history = undo(history)
  assert.equal(history.doc, '5')
})

test('whatever was done, undoing all of it and redoing all of it comes back to the same', () => {
  const steps = fc.array(
    fc.oneof(
      fc.tuple(fc.string({ maxLength: 2 }), fc.constantFrom(undefined, 'type', 'nudge')),
      fc.constantFrom('undo' as const, 'redo' as const),
    ),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(steps, (all) => {
      let history = startHistory('start')
      for (const [atMs, step] of all.entries()) {
        if (step === 'undo') history = undo(history)
        else if (step === 'redo') history = redo(history)
        else history = change(step[0], step[1])(history, atMs)
      }
      const end = history.doc
      const depth = history.past.length
      for (let i = 0; i < depth; i++) history = undo(history)
      assert.equal(history.doc, 'start')
      for (let i = 0; i < depth; i++) history = redo(history)
      assert.equal(history.doc, end)
    }),
  )
})
