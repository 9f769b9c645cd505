// A run falls asleep under an earlier version, everything of its age is removed meanwhile, and this
// version wakes it. The earlier one is its schema, filled with what runs look like that sleep.
import assert from 'node:assert/strict'
import { cp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Db } from '#store/db.ts'
import { migrate } from '#store/migrate.ts'
import { openPostgres } from '#store/postgres/database.ts'
import { openSqlite } from '#store/sqlite/database.ts'
import {
  addRows,
  type Cells,
  identitiesOf,
  inOrderOfReferences,
  readRows,
  setIdentity,
  tablesOf,
} from '#store/table-rows.ts'
import { deleteOldRuns } from '#store/tables/old-runs.ts'
import { signUp } from '../../support/console.ts'
import { databases, patientDatabase } from '../../support/databases.ts'
import { png } from '../../support/samples.ts'
import { P, startServer } from '../../support/server.ts'
import { type Env, migrationsFolder, newPlace } from '../backup/setting.ts'
import { addWorkflow, ended, graph, readRun, started, until } from '../runs/setting.ts'
import { callerOf } from '../triggers/hook-setting.ts'

/** The last migration before the release in which sleepers got more to remember. */
const schema = '0044_routes.sql'
const settings = { SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }
const dayMs = 86_400_000
const picture = png({ width: 2, height: 2 })

const approval = graph(
  [
    { id: 'picture', type: 'input.image' },
    { id: 'ask', type: 'wait.approval', data: { title: 'This one?' } },
    { id: 'out', type: 'output' },
  ],
  ['picture -> ask.value', 'ask.approved -> out'],
)
const echo = graph(
  [
    { id: 'in', type: 'input.text' },
    { id: 'out', type: 'output' },
  ],
  ['in -> out'],
)

const open = ({ DATA_DIR = '', DATABASE_URL }: Env): Db =>
  DATABASE_URL
    ? openPostgres({ url: DATABASE_URL, poolSize: 2, ...patientDatabase })
    : openSqlite({ path: join(DATA_DIR, 'atelier.db') })

/** Copies what the older schema has room for. */
async function copyTables(from: Db, to: Db): Promise<void> {
  const known = new Map((await tablesOf(from)).map((table) => [table.name, table]))
  for (const table of await inOrderOfReferences(to, await tablesOf(to))) {
    const columns = table.columns.filter((name) => known.get(table.name)?.columns.includes(name))
    if (columns.length === 0 || table.name === 'migrations') continue
    for await (const rows of readRows(from, { ...table, columns })) {
      await addRows(to, { ...table, columns }, rows as Cells[])
    }
  }
  for (const identity of await identitiesOf(from)) await setIdentity(to, identity)
}

/** Leaves the folder as it is, with a database of the earlier version in place of its own. */
async function asEarlierVersion(place: Env, older: Env): Promise<void> {
  const { DATA_DIR = '' } = older
  await cp(place.DATA_DIR ?? '', DATA_DIR, { recursive: true })
  for (const file of await readdir(DATA_DIR)) {
    if (file.startsWith('atelier.db')) await rm(join(DATA_DIR, file))
  }
  await using from = open(place)
  await using to = open(older)
  await migrate(to, migrationsFolder, { through: schema })
  await copyTables(from, to)
}

/** One that waits for an approval of its picture, and one beside it that has ended. */
async function makeRuns(place: Env) {
  await using server = await startServer({ ...place, SIGN_UP: 'open' })
  const me = await signUp(server)
  const on = callerOf(server, await me.newKey())
  const inputs = { picture: `data:image/png;base64,${picture.toString('base64')}` }
  const asleep = await started(on, await addWorkflow(on, approval), { inputs })
  await until(on, asleep, ({ waitingFor }) => waitingFor?.length > 0)
  const over = await started(on, await addWorkflow(on, echo), { inputs: { in: 'x' } })
  await ended(on, over)
  return { asleep, over, key: await me.newKey({ scopes: ['runs:read', 'waits:answer'] }) }
}

describe('a run that sleeps', () => {
  for (const { name } of databases) {
    test(`through retention and an upgrade completes with its picture (${name})`, async (t) => {
      const place = { ...settings, ...(await newPlace(t, name)) }
      const runs = await makeRuns(place)
      const older = { ...settings, ...(await newPlace(t, name)) }
      await asEarlierVersion(place, older)
      {
        await using db = open(older)
        await migrate(db, migrationsFolder)
        // As it will be in two months.
        const deleted = await deleteOldRuns(db, Date.now() + 60 * dayMs, 500)
        assert.equal(deleted, 1)
        assert.deepEqual(await db.query('select id from runs'), [{ id: runs.asleep }])
      }
      await using server = await startServer(older)
      const on = callerOf(server, runs.key)
      assert.equal((await on.call(`${P}/workflow-runs/${runs.over}`)).status, 404)
      const { waitingFor } = await readRun(on, runs.asleep)
      const path = `${P}/workflow-runs/${runs.asleep}/waits/${waitingFor[0].waitId}`
      const answered = await on.call({ method: 'POST', path, json: { decision: 'approve' } })
      assert.equal(answered.status, 200, answered.text)
      const { status, outputs } = await ended(on, runs.asleep)
      assert.equal(status, 'COMPLETED')
      const url = new URL(outputs.out.url)
      const answer = await fetch(server.url + url.pathname + url.search)
      assert.deepEqual(Buffer.from(await answer.arrayBuffer()), picture)
    })
  }
})
