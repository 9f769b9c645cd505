import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeClientTypes } from '../../../scripts/write-client-types.ts'
import { writeConsoleTypes } from '../../../scripts/write-console-types.ts'

test("the client's types follow from the registry (else run scripts/write-client-types.ts)", () => {
  assert.deepEqual(writeClientTypes({ mode: 'compare' }), [])
})

test("the console's types follow from the registries (else run npm run docs)", () => {
  assert.deepEqual(writeConsoleTypes({ mode: 'compare' }), [])
})
