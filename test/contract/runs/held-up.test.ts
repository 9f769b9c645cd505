import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { holdUpAtEveryCommit } from './held-up.ts'
import { migrations } from './setting.ts'

for (const { name, open } of databases) {
  describe(`a worker that stood still on ${name}`, () => {
    for (const moment of ['before', 'after'] as const) {
      test(`${moment} any of its commits calls nobody twice and changes no ended run`, async () => {
        await using opened = await open({ migrations })
        assert.deepEqual(await holdUpAtEveryCommit(opened.db, moment), [])
      })
    }
  })
}
