// Nothing of a damaged backup is restored, and nothing that exists is written over.
import assert from 'node:assert/strict'
import { appendFile, cp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { sha256 } from '#operate/backup/manifest.ts'
import { openSqlite } from '#store/sqlite/database.ts'
import { claimFact } from '#store/tables/server-facts.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { dispatched } from '../cli/setting.ts'
import { assertThere, type Contents, cli, type Env, fill, newFolder, newPlace } from './setting.ts'

describe('a restore', () => {
  let server: TestServer
  let there: Contents
  let folder: string
  before(async () => {
    server = await startServer()
    there = await fill(server)
    folder = join(server.dataDir, '..', `${server.dataDir.split('/').at(-1)}-copy`)
    await cli(['backup', folder], { DATA_DIR: server.dataDir })
  })
  after(async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const copyOf = async (t: TestContext) => {
    const copy = join(await newFolder(t), 'copy')
    await cp(folder, copy, { recursive: true })
    return copy
  }

  const fileIn = async (path: string): Promise<string> => {
    const names = await readdir(path, { recursive: true, withFileTypes: true })
    const file = names.find((entry) => entry.isFile())
    return join(file?.parentPath ?? '', file?.name ?? '')
  }

  async function assertRefused(words: readonly string[], env: Env, reason: RegExp) {
    const { code, stderr } = await dispatched(['restore', ...words], { env })
    assert.equal(code, 1, stderr)
    assert.match(stderr, reason)
  }

  for (const [what, damage, reason] of [
    [
      'with a changed row',
      async (copy: string) => {
        const path = join(copy, 'tables', 'accounts.jsonl')
        const text = await readFile(path, 'utf8')
        await writeFile(
          path,
          text.replace(/[0-9a-f](?=")/, (digit) => (digit === '0' ? '1' : '0')),
        )
      },
      /damaged: tables\/accounts\.jsonl has the wrong checksum/,
    ],
    [
      'without a table',
      (copy: string) => rm(join(copy, 'tables', 'runs.jsonl')),
      /damaged: tables\/runs\.jsonl cannot be read/,
    ],
    [
      'with a cut media file',
      async (copy: string) => truncate(await fileIn(join(copy, 'blobs')), 10),
      /damaged: blobs\/.* has the wrong checksum/,
    ],
    [
      'without a media file',
      async (copy: string) => rm(await fileIn(join(copy, 'blobs'))),
      /damaged: blobs\/.* cannot be read/,
    ],
    [
      'with another key',
      (copy: string) => appendFile(join(copy, 'keys', 'secret.key'), 'x'),
      /damaged: keys\/secret\.key has the wrong checksum/,
    ],
    [
      'with a changed manifest',
      async (copy: string) => {
        const path = join(copy, 'manifest.json')
        await writeFile(path, (await readFile(path, 'utf8')).replace('"accounts"', '"accountz"'))
      },
      /damaged: .*manifest\.json has the wrong checksum/,
    ],
    [
      'that was not finished',
      (copy: string) => rm(join(copy, 'manifest.json')),
      /holds no manifest\.json: it is not a backup, or the backup was not finished/,
    ],
    [
      'of a later version',
      async (copy: string) => {
        const path = join(copy, 'manifest.json')
        const { manifest } = JSON.parse(await readFile(path, 'utf8'))
        manifest.migrations.push({ name: '9999_later.sql', hash: 'x' })
        const changed = { manifest, sha256: sha256(JSON.stringify(manifest)) }
        await writeFile(path, JSON.stringify(changed))
      },
      /does not know the database schema .*9999_later\.sql.* or a later one/,
    ],
  ] as const) {
    test(`of a backup ${what} is refused by name, and writes nothing`, async (t) => {
      const copy = await copyOf(t)
      await damage(copy)
      const place = await newPlace(t, 'sqlite')
      await assertRefused([copy], place, reason)
      assert.deepEqual(await filesOf(place.DATA_DIR ?? ''), [])
    })
  }

  test('into a folder that is in use is refused, and changes nothing', async () => {
    await assertRefused([folder, '--trust'], { DATA_DIR: server.dataDir }, /another process uses/)
    const twice = await dispatched(['backup', folder], { env: { DATA_DIR: server.dataDir } })
    assert.match(twice.stderr, /is not empty\. Each backup needs a folder of its own/)
  })

  test('into the folder of another installation is refused, and changes nothing', async (t) => {
    const place = await newPlace(t, 'sqlite')
    await (await startServer(place)).stop()
    const key = await readFile(join(place.DATA_DIR ?? '', 'owner.key'), 'utf8')
    await assertRefused([folder, '--trust'], place, /is in use: it holds accounts/)
    assert.equal(await readFile(join(place.DATA_DIR ?? '', 'owner.key'), 'utf8'), key)
  })

  test('that was interrupted leaves what no server starts on, and can be repeated', async (t) => {
    const place = await newPlace(t, 'sqlite')
    await cli(['restore', folder, '--trust'], place)
    {
      // As if it had been killed before its last write.
      await using db = openSqlite({ path: join(place.DATA_DIR ?? '', 'atelier.db') })
      await claimFact(db, 'restoring', '1')
    }
    await assert.rejects(startServer(place), /was begun and not finished.*Repeat that command/)
    await cli(['restore', folder, '--trust'], place)
    await using restored = await startServer(place)
    await assertThere(restored, server.ownerKey, there)
  })

  test('of an installation whose key was in SECRET_KEY needs that key', async (t) => {
    const copy = await copyOf(t)
    const path = join(copy, 'manifest.json')
    const { manifest } = JSON.parse(await readFile(path, 'utf8'))
    manifest.keys = manifest.keys.filter(({ name }: { name: string }) => name !== 'secret.key')
    await writeFile(path, JSON.stringify({ manifest, sha256: sha256(JSON.stringify(manifest)) }))
    await assertRefused([copy], await newPlace(t, 'sqlite'), /holds no secret\.key.*Set SECRET_KEY/)
  })
})

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}
