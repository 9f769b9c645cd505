// A backup is a folder that somebody else may have written. Whatever it says, a restore writes
// nowhere but to the new installation, and asks first if nothing proves where it comes from.
import assert from 'node:assert/strict'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { isBlobName } from '#media/blob-store.ts'
import { type Manifest, sha256 } from '#operate/backup/manifest.ts'
import { startServer } from '../../support/server.ts'
import { dispatched } from '../cli/setting.ts'
import { cli, newFolder, newPlace } from './setting.ts'

const secretKey = Buffer.alloc(32, 9).toString('base64')

describe('a forged backup', () => {
  let folder: string
  before(async () => {
    await using server = await startServer({ SECRET_KEY: secretKey })

    folder = `${server.dataDir}-copy`
    await cli(['backup', folder], { DATA_DIR: server.dataDir, SECRET_KEY: secretKey })
  })
  after(() => rm(folder, { recursive: true, force: true }))

  /** A copy of the backup with a manifest that fits its own checksum. */
  async function forge(t: TestContext, change: (manifest: Manifest, copy: string) => unknown) {
    const root = await newFolder(t)
    const copy = join(root, 'copy')
    await cp(folder, copy, { recursive: true })
    const path = join(copy, 'manifest.json')
    const { manifest, signature } = JSON.parse(await readFile(path, 'utf8'))
    await change(manifest, copy)
    const whole = { manifest, sha256: sha256(JSON.stringify(manifest)), signature }
    await writeFile(path, JSON.stringify(whole))
    return { root, copy }
  }

  async function addLine(copy: string, listed: Manifest['chats'], line: string) {
    const path = join(copy, listed.path)
    const text = `${await readFile(path, 'utf8')}${line}\n`
    await writeFile(path, text)
    listed.sha256 = sha256(text)
  }

  const planted = Buffer.from('a program')
  const forgeries: Record<string, (manifest: Manifest, copy: string) => unknown> = {
    'a key that lies elsewhere': async ({ keys }, copy) => {
      const name = '../../planted' as 'secret.key'
      await mkdir(join(copy, 'keys'), { recursive: true })
      await writeFile(join(copy, 'keys', name), planted)
      keys.push({ name, sha256: sha256(planted) })
    },
    'a key of another name': ({ keys }) => {
      keys.push({ name: 'profile' as 'secret.key', sha256: sha256(planted) })
    },
    'a media file that lies elsewhere': async ({ blobs }, copy) => {
      const name = `${sha256(planted)}-/../../../../../planted`
      const path = join(copy, 'blobs', name.slice(0, 2), name.slice(2, 4), name)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, planted)
      await addLine(copy, blobs, name)
    },
    'a lost media file that lies elsewhere': ({ missing }) => {
      missing.push('../../planted')
    },
    'a table in another file': async ({ tables }, copy) => {
      for (const table of tables.slice(0, 1)) {
        await cp(join(copy, table.path), join(copy, '..', 'elsewhere.jsonl'))
        table.path = '../elsewhere.jsonl'
      }
    },
    'a table with a statement for a name': ({ tables }) => {
      for (const table of tables.slice(0, 1)) table.name = 'accounts; drop table users'
    },
    'a column with a statement for a name': ({ tables }) => {
      for (const table of tables) table.columns = table.columns.map((name) => `${name}) select (1`)
    },
    'a column that the table does not have': ({ tables }) => {
      for (const table of tables) table.columns = table.columns.map((name) => `${name}x`)
    },
    'a number of a table with a statement for a name': ({ identities }) => {
      identities.push({ table_name: "workflows'; --", name: 'id', last: 1 })
    },
    'a row of other values than cells': async ({ tables }, copy) => {
      const accounts = tables.find(({ name }) => name === 'accounts')
      assert.ok(accounts)
      await addLine(copy, accounts, JSON.stringify(accounts.columns.map(() => ({ base64: 1 }))))
    },
    'something else than lists': (manifest) => {
      manifest.tables = { length: 1 } as unknown as Manifest['tables']
    },
  }

  for (const [what, change] of Object.entries(forgeries)) {
    test(`that names ${what} is refused, and nothing is written elsewhere`, async (t) => {
      const { root, copy } = await forge(t, change)
      const DATA_DIR = join(root, 'some', 'new', 'data')
      const env = { DATA_DIR, SECRET_KEY: secretKey }
      const { code, stderr } = await dispatched(['restore', copy, '--trust'], { env })
      assert.equal(code, 1, stderr)
      assert.match(stderr, /damaged|no row of its table|this schema does not have/)
      assert.doesNotMatch(stderr, /\n {4}at /)
      const names = await readdir(join(root, 'some'), { recursive: true }).catch(() => [])
      assert.deepEqual(
        names.filter((name) => name.endsWith('planted')),
        [],
      )
    })
  }

  test('is refused even if every name is a known one, unless the operator trusts the folder', async (t) => {
    const { copy } = await forge(t, (manifest) => {
      manifest.takenAt = '2030-01-01T00:00:00.000Z'
    })
    const place = { ...(await newPlace(t, 'sqlite')), SECRET_KEY: secretKey }
    const { code, stderr } = await dispatched(['restore', copy], { env: place })
    assert.equal(code, 1, stderr)
    assert.match(stderr, /not signed with SECRET_KEY.*--trust/s)
    await cli(['restore', copy, '--trust'], place)
  })

  test('that brings its own key is not verified by that key', async (t) => {
    const kept = await newPlace(t, 'sqlite')
    await (await startServer(kept)).stop()
    const copy = join(await newFolder(t), 'copy')
    await cli(['backup', copy], kept)
    const place = await newPlace(t, 'sqlite')
    const { code, stderr } = await dispatched(['restore', copy], { env: place })
    assert.equal(code, 1, stderr)
    assert.match(stderr, /Nothing proves who wrote this backup.*set SECRET_KEY.*--trust/s)
    // A copy of the key that was kept elsewhere proves it.
    const SECRET_KEY = (await readFile(join(kept.DATA_DIR ?? '', 'secret.key'), 'utf8')).trim()
    await cli(['restore', copy], { ...place, SECRET_KEY })
  })
})

test('a name that leads out of the folder of media is no name of a blob', () => {
  const hash = sha256('')
  assert.ok(isBlobName(`${hash}-0123456789abcdef`))
  for (const name of [
    '..',
    '../secret.key',
    `${hash}-`,
    `${hash}-/../../x`,
    `${hash}-0123456789abcdef\n`,
  ])
    assert.ok(!isBlobName(name), name)
})
