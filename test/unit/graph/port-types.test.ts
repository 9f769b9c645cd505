import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PortType } from '#graph/node/node-type.ts'
import { canConnect } from '#graph/node/values.ts'

const types: PortType[] = ['text', 'number', 'boolean', 'image', 'video', 'json', 'list', 'any']
const readAsText: PortType[] = ['number', 'boolean', 'list', 'image', 'video']

for (const from of types) {
  test(`what a port of type ${from} may be connected to`, () => {
    const allowed = types.filter((to) => canConnect(from, to))
    const expected = types.filter(
      (to) =>
        to === from ||
        [from, to].some((type) => type === 'json' || type === 'any') ||
        (to === 'text' && readAsText.includes(from)),
    )
    assert.deepEqual(allowed, expected)
  })
}
