import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeClientTypes } from '../../../scripts/write-client-types.ts'

test("the client's types follow from the registry (else run scripts/write-client-types.ts)", () => {
  assert.deepEqual(writeClientTypes({ mode: 'compare' }), [])
})
