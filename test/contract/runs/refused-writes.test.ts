// One run whose writes the database refuses takes no other with it, although they share transactions.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Db } from '#store/db.ts'
import { databases } from '../../support/databases.ts'
import {
  addRun,
  addWorkflow,
  chain,
  countingProvider,
  migrations,
  newAccount,
  rowOf,
  startProcess,
  until,
} from './setting.ts'

/** Refuses whatever is written about the result of a run, with all that shares its commit. */
function refusing(db: Db) {
  let shared = 0
  let poisoned = 'no run yet'
  let gate = Promise.resolve()
  const refused = { sql: 'insert into nowhere (id) values ($1)', rows: [[1]] }
  const process: Db = {
    ...db,
    async writeAll(statements, options) {
      await gate
      return db.writeAll(() => {
        const made = statements()
        const text = JSON.stringify(made.map(({ rows }) => rows))
        if (!text.includes(poisoned) || !text.includes('DONE')) return made
        shared = Math.max(shared, text.split('DONE').length - 1)
        return [...made, refused] as never
      }, options)
    },
  }
  return {
    process,
    /** How many results were written together with one that was refused. */
    shared: () => shared,
    poison: (id: string) => {
      poisoned = id
    },
    /** Nothing is written until it is opened. */
    close() {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return resolve
    },
  }
}

const prompts = Array.from({ length: 9 }, (_, i) => `prompt ${i}`)

describe('runs that share a commit with one that is refused, on postgres', () => {
  test('keep what they were paid for, and end', async () => {
    const postgres = databases.find(({ name }) => name === 'postgres')
    assert.ok(postgres)
    await using opened = await postgres.open({ migrations })
    const { db } = opened
    const store = refusing(db)
    const provider = countingProvider()
    for (const prompt of prompts) provider.held.add(prompt)
    const process = await startProcess(store.process, provider, { ledgerOn: db })
    const ids: string[] = []
    for (const prompt of prompts) {
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(1))
      ids.push(await addRun(db, accountId, workflow, { inputs: JSON.stringify({ in: prompt }) }))
    }
    await until(() => provider.asked.size === prompts.length)
    const poisoned = ids[4] ?? ''
    store.poison(poisoned)
    const open = store.close()
    for (const prompt of prompts) provider.open(prompt)
    const answered = `select 1 as one from ledger where outcome = 'SUCCEEDED'`
    await until(async () => (await db.query(answered)).length === prompts.length)
    open()
    const others = () => Promise.all(ids.filter((id) => id !== poisoned).map((id) => rowOf(db, id)))
    await until(async () => (await others()).every(({ status }) => status !== 'RUNNING'))
    await until(async () => (await rowOf(db, poisoned)).owner === null)
    await process.bury()
    assert.ok(store.shared() > 1, 'they did not share a commit')
    for (const { status, releases } of await others()) {
      assert.deepEqual([status, releases], ['COMPLETED', 0])
    }
  })
})
