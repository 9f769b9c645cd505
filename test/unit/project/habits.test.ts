import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkImports } from '../../../scripts/check-imports.ts'
import { checkSizes } from '../../../scripts/check-sizes.ts'
import { writeDocs } from '../../../scripts/write-docs.ts'

test('imports point one way', () => {
  assert.deepEqual(checkImports(), [])
})

test('every file can be read in one sitting', () => {
  assert.deepEqual(checkSizes(), [])
})

test('docs match the code they are generated from', () => {
  assert.deepEqual(writeDocs({ mode: 'compare' }), [], 'run npm run docs')
})
