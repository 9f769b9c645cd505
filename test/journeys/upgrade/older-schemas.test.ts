// Databases as earlier versions left them, opened by this one. rows.jsonl holds the tables of a
// small installation in the format of a backup; a column or table that a schema did not have yet is
// left out. Each release adds its last migration to the list.
import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { decodeRow } from '#operate/backup/cells.ts'
import type { Db } from '#store/db.ts'
import { migrate } from '#store/migrate.ts'
import { openPostgres } from '#store/postgres/database.ts'
import { openSqlite } from '#store/sqlite/database.ts'
import {
  addRows,
  type Cells,
  inOrderOfReferences,
  setIdentity,
  type TableShape,
  tablesOf,
} from '#store/table-rows.ts'
import { databases, patientDatabase } from '../../support/databases.ts'
import { png } from '../../support/samples.ts'
import { P, startServer, type TestServer } from '../../support/server.ts'
import { cli, type Env, migrationsFolder, newFolder, newPlace, rowsOf } from '../backup/setting.ts'
import { addWorkflow, ended, graph, readRun, started } from '../runs/setting.ts'

const schemas = ['0013_ledger_stored_at.sql', '0020_token_parts.sql']

const ownerKey = 'sk_OsPuMDbOCSBq9awi5kT2EHUzKmJewaqS1wb5SD'
const settings = {
  SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  // The rows have the dates of the day they were made on.
  RETENTION_DAYS: '36500',
}
const picture = png({ width: 2, height: 2 })
const blob = '31b25f7cd40deb75'
const runId = '01a1e2f3-109d-7000-8000-05713c700e57'
const taskId = '01a1e2f3-11ed-7000-8000-04c322f7961f'

type Kept = { columns: string[]; rows: Cells[] }

async function readTables(): Promise<Map<string, Kept>> {
  const text = await readFile(new URL('rows.jsonl', import.meta.url), 'utf8')
  const tables = new Map<string, Kept>()
  let current: Kept | undefined
  for (const line of text.split('\n').filter((one) => one !== '')) {
    if (line.startsWith('{')) {
      const { table, columns } = JSON.parse(line)
      current = { columns, rows: [] }
      tables.set(table, current)
    } else current?.rows.push(decodeRow(line, current.columns.length))
  }
  return tables
}

/** Of a kept table, what a table of an earlier schema has room for. */
function fitted(shape: TableShape, { columns, rows }: Kept) {
  const indexes = columns.flatMap((name, index) => (shape.columns.includes(name) ? [index] : []))
  return {
    shape: { ...shape, columns: indexes.map((index) => columns[index] ?? '') },
    rows: rows.map((row) => indexes.map((index) => row[index] ?? null)),
  }
}

async function makeInstallation(env: Env, through: string): Promise<void> {
  const { DATA_DIR = '', DATABASE_URL } = env
  await mkdir(DATA_DIR, { recursive: true })
  await using db: Db = DATABASE_URL
    ? openPostgres({ url: DATABASE_URL, poolSize: 2, ...patientDatabase })
    : openSqlite({ path: join(DATA_DIR, 'atelier.db') })
  await migrate(db, migrationsFolder, { through })
  const kept = await readTables()
  for (const table of await inOrderOfReferences(db, await tablesOf(db))) {
    const rows = kept.get(table.name)
    if (!rows) continue
    const fit = fitted(table, rows)
    await addRows(db, fit.shape, fit.rows)
  }
  await setIdentity(db, { table_name: 'workflows', name: 'id', last: 2 })
  const [{ name = '' } = {}] = await db.query<{ name: string }>('select name from media_blobs')
  assert.ok(name.endsWith(blob))
  const folder = join(DATA_DIR, 'media', name.slice(0, 2), name.slice(2, 4))
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, name), picture)
  await writeFile(join(DATA_DIR, 'owner.key'), `${ownerKey}\n`)
}

async function assertReads(server: TestServer, env: Env) {
  assert.equal(server.ownerKey, ownerKey)
  const run = await readRun(server, runId)
  assert.equal(run.status, 'COMPLETED')
  assert.deepEqual(run.outputs, { out: 'A light over the sea.' })
  assert.deepEqual(run.metadata, { order: '7' })
  const node = await server.call(`${P}/workflow-runs/${runId}/nodes/text`)
  assert.equal(node.body.data.status, 'COMPLETED')
  const { body } = await server.call(`${P}/tasks/${taskId}`)
  const url = new URL(body.data.imageContent[0].url)
  const answer = await fetch(server.url + url.pathname + url.search)
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), picture)
  // The sums that later migrations introduced were made from the ledger.
  const [usage] = await rowsOf<{ calls: number; tokens: number }>(
    env,
    'select sum(calls) as calls, sum(output_tokens) as tokens from usage_quarters',
  )
  assert.deepEqual(usage, { calls: 3, tokens: 58 })
  const again = await ended(server, await started(server, 1, { inputs: { topic: 'help' } }))
  assert.equal(again.status, 'COMPLETED')
  assert.equal(await addWorkflow(server, graph([{ id: 'a', type: 'input.text' }])), 3)
}

describe('an installation of an earlier version', () => {
  for (const { name } of databases) {
    for (const schema of schemas) {
      test(`with the schema ${schema} on ${name} is opened, and so is its backup`, async (t) => {
        const place = { ...settings, ...(await newPlace(t, name)) }
        await makeInstallation(place, schema)
        const folder = join(await newFolder(t), 'copy')
        await cli(['backup', folder], place)
        {
          await using server = await startServer(place)
          await assertReads(server, place)
        }
        const restored = { ...settings, ...(await newPlace(t, name)) }
        await cli(['restore', folder], restored)
        await using server = await startServer(restored)
        await assertReads(server, restored)
      })
    }
  }
})
