import assert from 'node:assert/strict'
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { type Db, StoreUnavailable } from '#store/db.ts'
import { openChatJournal } from '#store/journals/chat-journal.ts'
import { type Disk, journalPaths } from '#store/journals/journal-file.ts'
import type { Attempt } from '#store/tables/ledger.ts'
import { eventually } from '../../journeys/generation/setting.ts'
import { databases } from '../../support/databases.ts'
import { journalOf } from '../../support/flushed-chats.ts'
import { stalled } from '../tasks/chat-logs.ts'
import { migrations } from '../tasks/setting.ts'

const account = '0193aaaa-bbbb-7ccc-8ddd-eeeeffff0001'

const chat = (attempt: string, change: Partial<Attempt> = {}): Attempt => ({
  attempt,
  accountId: account,
  keyId: null,
  taskId: null,
  runId: null,
  nodeId: null,
  operation: 'chat',
  provider: 'double',
  model: 'm',
  unitPrice: '{"inputPerMillionTokens":1}',
  reservedMicros: 100,
  createdAtMs: systemClock.nowMs(),
  ...change,
})

const answered = (attempt: string) => ({
  attempt,
  outcome: 'SUCCEEDED' as const,
  units: { inputTokens: 3, outputTokens: 1 },
  costMicros: 40,
  nowMs: systemClock.nowMs(),
})

const realDisk: Disk = { write: writeSync, sync: async () => {}, syncFolder: async () => {} }

/** A database with a folder beside it, and journals that are not closed: their process dies. */
async function openFolder(t: TestContext) {
  const opened = await databases[0]?.open({ migrations })
  assert.ok(opened && 'path' in opened.location)
  t.after(opened.close)
  const { db } = opened
  const folder = dirname(opened.location.path)
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const open = (change: { db?: Db; disk?: Disk } = {}) =>
    openChatJournal({ db, clock: systemClock, folder, onError, onBroken: onError, ...change })
  return {
    ...{ db, folder, errors, open },
    openDying: (disk = realDisk) => open({ db: stalled(db), disk }),
    /** What the ledger has after the next start: each attempt with its cost. */
    async afterRestart() {
      await (await open()).close()
      return ledger(db)
    },
  }
}

async function ledger(db: Db): Promise<Record<string, string>> {
  const rows = await db.query<{ attempt: string; outcome: string; cost_micros: number }>(
    'select attempt, outcome, cost_micros from ledger order by attempt',
  )
  const [days] = await db.query<{ calls: number; cost: number }>(
    'select sum(calls) as calls, sum(cost_micros) as cost from spend_days',
  )
  const sum = rows.reduce((micros, row) => micros + row.cost_micros, 0)
  assert.deepEqual([days?.calls ?? 0, days?.cost ?? 0], [rows.length, sum], 'the sums of the days')
  return Object.fromEntries(rows.map((row) => [row.attempt, `${row.outcome} ${row.cost_micros}`]))
}

const exact = 'SUCCEEDED 40'
const expected = 'UNKNOWN 100'

class Killed extends Error {}

/** Dies at its nth write; `share` of it is still done. */
function dyingDisk(nth: number, share: number): Disk {
  let count = 0
  return {
    ...realDisk,
    write(file, text, position) {
      if (count++ < nth) return writeSync(file, text, position)
      writeSync(file, text.slice(0, Math.round(text.length * share)), position)
      throw new Killed()
    },
  }
}

describe('the chat log in a file', () => {
  test('killed before, in the middle of, and after each of its writes loses no chat', async (t) => {
    const steps = ['begin a', 'begin b', 'settle a', 'begin c', 'settle c', 'settle b']
    for (const [nth, step] of steps.entries()) {
      for (const share of [0, 0.5, 1]) {
        const { openDying, afterRestart } = await openFolder(t)
        const dying = await openDying(dyingDisk(nth, share))
        const done = share === 1 ? steps.slice(0, nth + 1) : steps.slice(0, nth)
        for (const each of steps.slice(0, nth + 1)) {
          const [verb, name = ''] = each.split(' ')
          if (verb === 'settle') await dying.settle(answered(name))
          else if (each !== step) await dying.begin(chat(name))
          else await assert.rejects(async () => dying.begin(chat(name)), StoreUnavailable)
        }
        const names = done.filter((one) => one.startsWith('begin')).map((one) => one.slice(6))
        assert.deepEqual(
          await afterRestart(),
          Object.fromEntries(
            names.map((name) => [name, done.includes(`settle ${name}`) ? exact : expected]),
          ),
          `${share} of ${step}`,
        )
      }
    }
  })

  test('takes a line without its end for one that was never written', async (t) => {
    const { folder, errors, openDying, afterRestart } = await openFolder(t)
    const dying = await openDying()
    for (const name of ['a', 'b']) await dying.begin(chat(name))
    await dying.settle(answered('a'))
    const [path = ''] = journalPaths(folder)
    truncateSync(path, statSync(path).size - 1)
    assert.deepEqual(await afterRestart(), { a: expected, b: expected })
    assert.deepEqual([errors, journalPaths(folder)], [[], []])
  })

  test('with lines that cannot be parsed counts the others, and is kept for someone to read', async (t) => {
    const { folder, errors, openDying, afterRestart } = await openFolder(t)
    const dying = await openDying()
    await dying.begin(chat('a'))
    appendFileSync(journalPaths(folder)[0] ?? '', '\0\0\0\n["begun","?"]\n')
    assert.deepEqual(await afterRestart(), { a: expected })
    assert.match(String(errors[0]), /2 lines .* could not be parsed; kept in .*\.unreadable/)
    const kept = () => readdirSync(folder).filter((name) => name.endsWith('.unreadable'))
    assert.equal(kept().length, 1)
    assert.deepEqual(await afterRestart(), { a: expected })
    assert.deepEqual([errors.length, kept().length], [1, 1])
  })

  test('that is replayed by a process that dies is replayed again, each chat once', async (t) => {
    const { db, open, openDying, afterRestart } = await openFolder(t)
    const dying = await openDying()
    const names = Array.from({ length: 2_500 }, (_, i) => `chat ${i}`)
    for (const name of names) await dying.begin(chat(name))
    for (const name of names.slice(1_200)) await dying.settle(answered(name))
    let batches = 0
    const dyingDb: Db = {
      ...db,
      writeAll: (statements) =>
        ++batches === 2 ? Promise.reject(new Killed()) : db.writeAll(statements),
    }
    await assert.rejects(open({ db: dyingDb }), Killed)
    assert.ok(Object.keys(await ledger(db)).length > 0, 'the first batch was added')
    const all = await afterRestart()
    assert.equal(Object.keys(all).length, names.length)
    for (const [i, name] of names.entries()) assert.equal(all[name], i < 1_200 ? expected : exact)
  })

  test('on a full disk refuses a chat before it is made, and goes on when there is room', async (t) => {
    const { db, openDying, afterRestart } = await openFolder(t)
    let room = Number.POSITIVE_INFINITY
    const dying = await openDying({
      ...realDisk,
      // As a disk does: what still fits is written.
      write: (file, text, position) => writeSync(file, text.slice(0, room), position),
    })
    await dying.begin(chat('a'))
    room = 90
    await assert.rejects(async () => dying.begin(chat('b')), StoreUnavailable)
    assert.equal(dying.isUnderWay('b'), false)
    room = Number.POSITIVE_INFINITY
    await dying.settle(answered('a'))
    await dying.begin(chat('c'))
    assert.deepEqual(await ledger(db), {})
    assert.deepEqual(await afterRestart(), { a: exact, c: expected })
  })

  test('tells by a trial whether there is room for chats, and keeps nothing of it', async (t) => {
    const { openDying, afterRestart } = await openFolder(t)
    let isFull = false
    const dying = await openDying({
      ...realDisk,
      write(file, text, position) {
        if (isFull) throw new Error('ENOSPC')
        return writeSync(file, text, position)
      },
    })
    await dying.begin(chat('a'))
    await dying.tryWrite?.()
    await dying.settle(answered('a'))
    isFull = true
    await assert.rejects(async () => dying.tryWrite?.(), StoreUnavailable)
    isFull = false
    await dying.tryWrite?.()
    await dying.begin(chat('b'))
    await dying.tryWrite?.()
    assert.deepEqual(await afterRestart(), { a: exact, b: expected })
  })

  test('never bills chats it refused, though the disk took a part of what they wrote', async (t) => {
    for (const room of [90, 200, 300, 450]) {
      for (const next of ['a kill', 'a shorter write']) {
        const { openDying, afterRestart } = await openFolder(t)
        let left = Number.POSITIVE_INFINITY
        const dying = await openDying({
          ...realDisk,
          write: (file, text, position) => writeSync(file, text.slice(0, left), position),
        })
        await dying.begin(chat('a'))
        left = room
        const refused = ['b', 'c', 'd', 'e'].map(async (name) => dying.begin(chat(name)))
        for (const { status } of await Promise.allSettled(refused)) assert.equal(status, 'rejected')
        left = Number.POSITIVE_INFINITY
        if (next === 'a shorter write') await dying.settle(answered('a'))
        const a = next === 'a kill' ? expected : exact
        assert.deepEqual(await afterRestart(), { a }, `${room} bytes, then ${next}`)
      }
    }
  })

  test('reads what an earlier version wrote, an entry to a line', async (t) => {
    const { folder, errors, openDying, afterRestart } = await openFolder(t)
    const dying = await openDying()
    await Promise.all(['a', 'b'].map((name) => dying.begin(chat(name))))
    await dying.settle(answered('a'))
    const [path = ''] = journalPaths(folder)
    const entries = readFileSync(path, 'utf8')
      .split('\n')
      .slice(0, -1)
      .flatMap((line) => JSON.parse(line))
    writeFileSync(path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
    assert.deepEqual(await afterRestart(), { a: exact, b: expected })
    assert.deepEqual(errors, [])
  })

  test('writes the lines of one moment together; where it cannot, no chat of them is made', async (t) => {
    const { db, open } = await openFolder(t)
    const writes: number[] = []
    let isFull = false
    const log = await open({
      disk: {
        ...realDisk,
        write(file, text, position) {
          writes.push(JSON.parse(text).length)
          return isFull ? 0 : writeSync(file, text, position)
        },
      },
    })
    await Promise.all(['a', 'b', 'c'].map((name) => log.begin(chat(name))))
    await Promise.all([log.settle(answered('a')), log.begin(chat('d'))])
    assert.deepEqual(writes, [3, 2])
    isFull = true
    const ended = log.settle(answered('b'))
    const refused = await Promise.allSettled(['e', 'f'].map((name) => log.begin(chat(name))))
    await ended
    assert.deepEqual(
      refused.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    isFull = false
    for (const name of ['c', 'd']) await log.settle(answered(name))
    await log.close()
    assert.deepEqual(await ledger(db), { a: exact, b: exact, c: exact, d: exact })
  })

  test('that cannot be written when a chat has ended leaves its cost to the ledger', async (t) => {
    const { db, errors, open } = await openFolder(t)
    const log = await open({ disk: dyingDisk(1, 0) })
    await log.begin(chat('a'))
    await log.settle(answered('a'))
    assert.ok(errors[0] instanceof StoreUnavailable)
    await log.flush(account)
    assert.deepEqual(await ledger(db), { a: exact })
    await log.close()
  })

  test('that could not be synced takes no chat any more: nobody knows what the disk has', async (t) => {
    const { db, errors, open } = await openFolder(t)
    const failing = () => Promise.reject(new Error('EIO'))
    const log = await open({ disk: { ...realDisk, sync: failing } })
    await log.begin(chat('a'))
    await eventually(
      async () => errors.length,
      (count) => count === 1,
    )
    await assert.rejects(async () => log.begin(chat('b')), StoreUnavailable)
    await assert.rejects(async () => log.tryWrite?.(), StoreUnavailable)
    await log.settle(answered('a'))
    await log.close()
    assert.deepEqual(await ledger(db), { a: exact })
  })

  describe('that has grown', () => {
    const large = { unitPrice: JSON.stringify('x'.repeat(100_000)) }
    const names = Array.from({ length: 200 }, (_, i) => `chat ${i}`)

    test('begins anew with what is still needed', async (t) => {
      const { folder, open, afterRestart } = await openFolder(t)
      const log = await open()
      await log.begin(chat('long', large))
      for (const name of names) {
        await log.begin(chat(name, large))
        await log.settle(answered(name))
        await log.flush(account)
      }
      const [path = ''] = await eventually(
        async () => journalPaths(folder),
        (paths) => paths.length === 1,
      )
      assert.ok(statSync(path).size < 4_400_000, 'it does not grow for ever')
      assert.ok(journalOf(folder).begun.has('long'))
      const all = await afterRestart()
      assert.equal(all.long, expected)
      for (const name of names) assert.equal(all[name], exact)
    })

    test('is not removed before the disk has the new one', async (t) => {
      const { folder, open } = await openFolder(t)
      const files: number[] = []
      const synced = Promise.withResolvers<void>()
      const begun = Promise.withResolvers<void>()
      const log = await open({
        disk: {
          ...realDisk,
          write(file, text, position) {
            if (!files.includes(file)) files.push(file)
            return realDisk.write(file, text, position)
          },
          async sync(file) {
            if (file === files[0]) return
            begun.resolve()
            await synced.promise
          },
        },
      })
      for (let i = 0; journalPaths(folder).length < 2; i++) {
        assert.ok(i < 100, 'a full one begins anew')
        await log.begin(chat(`chat ${i}`, large))
      }
      const [full = ''] = journalPaths(folder).sort()
      await begun.promise
      assert.ok(journalPaths(folder).includes(full))
      synced.resolve()
      await eventually(
        async () => journalPaths(folder),
        (paths) => !paths.includes(full),
      )
      await log.close()
    })

    test('loses nothing that the ledger has not got yet', async (t) => {
      const { folder, openDying, afterRestart } = await openFolder(t)
      const dying = await openDying()
      for (const [i, name] of names.entries()) {
        await dying.begin(chat(name, large))
        if (i >= 100) await dying.settle(answered(name))
      }
      await eventually(
        async () => journalPaths(folder),
        (paths) => paths.length === 1,
      )
      const all = await afterRestart()
      for (const [i, name] of names.entries()) assert.equal(all[name], i < 100 ? expected : exact)
    })

    test('stays as it is where the disk has no room for a new one', async (t) => {
      const { folder, errors, openDying, afterRestart } = await openFolder(t)
      const dying = await openDying({
        ...realDisk,
        write: (file, text, position) =>
          text.length > 1_000_000 ? 0 : writeSync(file, text, position),
      })
      for (const name of names) await dying.begin(chat(name, large))
      assert.ok(errors.length > 0)
      assert.equal(journalPaths(folder).length, 1)
      assert.equal(Object.keys(await afterRestart()).length, names.length)
    })
  })
})

describe('chats that were answered', () => {
  test('wait for a store that is away, and are refused when too many do', async (t) => {
    const { db, errors, open } = await openFolder(t)
    let isAway = true
    const log = await open({
      db: {
        ...db,
        writeAll: (statements) =>
          isAway ? Promise.reject(new StoreUnavailable('it is away')) : db.writeAll(statements),
      },
    })
    const names = Array.from({ length: 10_000 }, (_, i) => `chat ${i}`)
    for (const name of names) {
      await log.begin(chat(name))
      await log.settle(answered(name))
    }
    await assert.rejects(async () => log.flush(account), StoreUnavailable)
    await assert.rejects(async () => log.begin(chat('one more')), StoreUnavailable)
    isAway = false
    const count = () => db.query<{ n: number }>('select count(*) as n from ledger')
    await eventually(count, ([row]) => row?.n === names.length)
    assert.ok(errors.length > 0)
    await log.begin(chat('one more'))
    await log.settle(answered('one more'))
    await log.close()
    assert.equal(Object.keys(await ledger(db)).length, names.length + 1)
  })

  test('are in the ledger once, though the answer of a commit was lost', async (t) => {
    const { db, open } = await openFolder(t)
    let isLost = true
    const log = await open({
      db: {
        ...db,
        async writeAll(statements) {
          const rows = await db.writeAll(statements)
          if (isLost) throw new StoreUnavailable('the answer was lost')
          return rows
        },
      },
    })
    await log.begin(chat('a'))
    await log.settle(answered('a'))
    await assert.rejects(async () => log.flush(account))
    isLost = false
    await log.begin(chat('b'))
    await log.settle(answered('b'))
    await log.flush(account)
    assert.deepEqual(await ledger(db), { a: exact, b: exact })
    await log.close()
  })

  test('of others do not make a reader wait', async (t) => {
    const { open } = await openFolder(t)
    const log = await open()
    await log.begin(chat('a'))
    await log.settle(answered('a'))
    assert.equal(log.flush('0193aaaa-bbbb-7ccc-8ddd-eeeeffff0002'), undefined)
    await log.close()
  })

  test('leave no journal when the process stops, unless one is still under way', async (t) => {
    const { folder, open, afterRestart } = await openFolder(t)
    const log = await open()
    for (const name of ['a', 'b']) await log.begin(chat(name))
    await log.settle(answered('a'))
    await log.close()
    await assert.rejects(async () => log.begin(chat('c')), StoreUnavailable)
    assert.equal(journalPaths(folder).length, 1)
    assert.deepEqual(await afterRestart(), { a: exact, b: expected })
    assert.equal(journalPaths(folder).length, 0)
  })
})
