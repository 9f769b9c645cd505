import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, test } from 'node:test'
import { isApiKey, makeApiKey } from '#auth/api-key.ts'
import { ensureOwner } from '#auth/owner.ts'
import { hashToken } from '#auth/token-hash.ts'
import { scopes } from '#core/scopes.ts'
import type { Db } from '#store/db.ts'
import { readFact } from '#store/tables/server-facts.ts'
import { findSetupLink } from '#store/tables/setup-links.ts'
import { completeUser } from '#store/tables/users.ts'
import { databases } from '../../support/databases.ts'
import {
  baseUrl,
  type HandClock,
  handClock,
  migrations,
  startProcess,
  verified,
} from './setting.ts'

const hourMs = 3_600_000
const folders: string[] = []

async function newFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-owner-'))
  folders.push(folder)
  return folder
}

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
})

const start = (db: Db, dataDir: string, clock: HandClock) =>
  ensureOwner({ db, dataDir, clock, baseUrl, random: randomBytes })

const tokenHashOf = (link: string | null) => hashToken(link?.split('#token=')[1] ?? '')

async function completeOwner(db: Db) {
  const ownerId = (await readFact(db, 'owner')) ?? ''
  const means = { email: 'a@example.com', passwordHash: 'x', oidc: null }
  await db.transaction((tx) => completeUser(tx, ownerId, means))
}

for (const { name, open } of databases) {
  describe(`the first start on ${name}`, () => {
    test('writes a working key with every scope, for the owner’s eyes only', async () => {
      await using database = await open({ migrations })
      const [clock, folder] = [handClock(), await newFolder()]
      const { ownerKeyPath } = await start(database.db, folder, clock)
      assert.equal(ownerKeyPath, join(folder, 'owner.key'))
      const text = await readFile(join(folder, 'owner.key'), 'utf8')
      assert.match(text, /^sk_[0-9A-Za-z]{38}\n$/)
      assert.ok(isApiKey(text.trim()))
      assert.equal((await stat(join(folder, 'owner.key'))).mode & 0o777, 0o600)
      assert.deepEqual(await readdir(folder), ['owner.key'])
      const { verifier } = await startProcess(database.db, clock)
      const principal = await verified(verifier, text.trim())
      assert.deepEqual(principal.scopes, new Set(scopes))
      assert.equal(principal.userId, await readFact(database.db, 'owner'))
    })

    test('prints a link whose token is in the fragment, works for 24 h, and is stored hashed', async () => {
      await using database = await open({ migrations })
      const clock = handClock()
      const { setupLink } = await start(database.db, await newFolder(), clock)
      assert.match(setupLink ?? '', /^https:\/\/atelier\.example\/setup#token=[\w-]{43}$/)
      const hash = tokenHashOf(setupLink)
      const owner = await readFact(database.db, 'owner')
      assert.equal(await findSetupLink(database.db, hash, clock.at + 24 * hourMs - 1), owner)
      assert.equal(await findSetupLink(database.db, hash, clock.at + 24 * hourMs), null)
      const [row] = await database.db.query<object>('select * from setup_links')
      assert.equal(JSON.stringify(row).includes(setupLink?.split('=')[1] ?? '?'), false)
    })

    test('later starts keep the owner and the key, and give a new link while it is needed', async () => {
      await using database = await open({ migrations })
      const [clock, folder] = [handClock(), await newFolder()]
      const first = await start(database.db, folder, clock)
      const key = await readFile(join(folder, 'owner.key'), 'utf8')
      const owner = await readFact(database.db, 'owner')
      clock.at += 48 * hourMs
      const second = await start(database.db, folder, clock)
      assert.equal(second.ownerKeyPath, null)
      assert.notEqual(second.setupLink, first.setupLink)
      assert.equal(await findSetupLink(database.db, tokenHashOf(first.setupLink), clock.at), null)
      assert.equal(await findSetupLink(database.db, tokenHashOf(second.setupLink), clock.at), owner)
      assert.equal(await readFile(join(folder, 'owner.key'), 'utf8'), key)
      await completeOwner(database.db)
      assert.equal((await start(database.db, folder, clock)).setupLink, null)
    })

    test('a deleted key file is not made again', async () => {
      await using database = await open({ migrations })
      const [clock, folder] = [handClock(), await newFolder()]
      await start(database.db, folder, clock)
      await rm(join(folder, 'owner.key'))
      await start(database.db, folder, clock)
      assert.deepEqual(await readdir(folder), [])
      assert.equal((await database.db.query('select id from api_keys')).length, 1)
    })

    test('a key file that a start left before it was killed becomes the owner’s key', async () => {
      await using database = await open({ migrations })
      const [clock, folder] = [handClock(), await newFolder()]
      const left = `${makeApiKey(randomBytes)}\n`
      await writeFile(join(folder, 'owner.key'), left, { mode: 0o600 })
      await start(database.db, folder, clock)
      assert.equal(await readFile(join(folder, 'owner.key'), 'utf8'), left)
      const { verifier } = await startProcess(database.db, clock)
      await verified(verifier, left.trim())
    })

    test('a key file that holds no key stops the start, and is not overwritten', async () => {
      await using database = await open({ migrations })
      const [clock, folder] = [handClock(), await newFolder()]
      await writeFile(join(folder, 'owner.key'), 'sk_old\n')
      await assert.rejects(start(database.db, folder, clock), /owner\.key .*never overwritten/)
      assert.equal(await readFile(join(folder, 'owner.key'), 'utf8'), 'sk_old\n')
      assert.equal(await readFact(database.db, 'owner'), null)
    })

    test('of several processes that start at once, one makes the owner and writes the key', async () => {
      await using database = await open({ migrations })
      const clock = handClock()
      const shared = await newFolder()
      const own = await Promise.all(Array.from({ length: 3 }, newFolder))
      const outcomes = await Promise.all(
        [shared, shared, shared, ...own].map((folder) => start(database.db, folder, clock)),
      )
      assert.equal(outcomes.filter(({ ownerKeyPath }) => ownerKeyPath !== null).length, 1)
      const files = await Promise.all([shared, ...own].map((folder) => readdir(folder)))
      assert.deepEqual(files.flat(), ['owner.key'])
      for (const table of ['accounts', 'users', 'api_keys']) {
        assert.equal((await database.db.query(`select id from ${table}`)).length, 1, table)
      }
      const owner = await readFact(database.db, 'owner')
      for (const { setupLink } of outcomes) {
        assert.equal(await findSetupLink(database.db, tokenHashOf(setupLink), clock.at), owner)
      }
      const written = outcomes.find(({ ownerKeyPath }) => ownerKeyPath !== null)
      const { verifier } = await startProcess(database.db, clock)
      await verified(verifier, (await readFile(written?.ownerKeyPath ?? '', 'utf8')).trim())
    })

    test('if the key file cannot be written there is no owner yet, and the next start succeeds', async () => {
      await using database = await open({ migrations })
      const [clock, folder] = [handClock(), await newFolder()]
      const blocked = join(folder, 'file')
      await writeFile(blocked, '')
      await assert.rejects(start(database.db, blocked, clock))
      await assert.rejects(start(database.db, join(blocked, 'sub'), clock))
      assert.equal(await readFact(database.db, 'owner'), null)
      assert.notEqual((await start(database.db, folder, clock)).ownerKeyPath, null)
    })
  })
}
