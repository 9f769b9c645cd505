import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createKeptAnswers, type KeptAnswer } from '#api/kept-answers.ts'
import { systemClock } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import { deleteExpired } from '#operate/upkeep.ts'
import type { Db } from '#store/db.ts'
import { databases } from '../../support/databases.ts'
import { box, handClock, makePerson, migrations } from '../auth/setting.ts'

const said = (text: string): KeptAnswer => ({
  status: 200,
  headers: { 'content-type': 'text/plain' },
  body: Buffer.from(text),
})

async function setting(db: Db) {
  const hand = handClock()
  // Nobody renews a claim here: whoever is believed for no time at all is as good as dead.
  const clock = { ...systemClock, nowMs: hand.nowMs, every: () => () => {} }
  const onError = (error: unknown) => assert.fail(String(error))
  const open = (aliveMs = 30_000) => createKeptAnswers({ db, box, clock, onError, aliveMs })
  const [mine, other] = [await makePerson(db, hand.at), await makePerson(db, hand.at)]
  const ask = (key: string, fingerprint = 'f') => ({ accountId: mine.accountId, key, fingerprint })
  return { hand, open, ask, other: other.accountId }
}

async function claimed(asked: ReturnType<ReturnType<typeof createKeptAnswers>['claim']>) {
  const claim = await asked
  assert.ok('claimed' in claim)
  return claim.claimed
}

const code = (error: unknown) => error instanceof Failure && error.code

for (const { name, open: openDatabase } of databases) {
  describe(`answers to keyed requests on ${name}`, () => {
    test('are given again by another process, to their account alone, and are sealed', async () => {
      await using opened = await openDatabase({ migrations })
      const { db } = opened
      const { open, ask, other } = await setting(db)
      const [one, two] = [open(), open()]
      const first = await claimed(one.claim(ask('k')))
      // Of three processes that ask meanwhile, each waits for the first.
      const waiting = [one.claim(ask('k')), two.claim(ask('k')), open().claim(ask('k'))]
      await first.keep(said('a secret of mine\nin two lines'))
      for (const claim of [...(await Promise.all(waiting)), await open().claim(ask('k'))])
        assert.deepEqual(claim, { replay: said('a secret of mine\nin two lines') })
      await assert.rejects(two.claim(ask('k', 'g')), (e) => code(e) === 'IDEMPOTENCY_KEY_REUSED')
      await claimed(two.claim({ ...ask('k'), accountId: other }))
      const [row] = await db.query<{ content: Uint8Array }>(
        'select content from kept_answers where content is not null',
      )
      assert.doesNotMatch(Buffer.from(row?.content ?? []).toString('latin1'), /secret/)
    })

    test('are not repeated if nobody knows what became of the first', async () => {
      await using opened = await openDatabase({ migrations })
      const { open, ask } = await setting(opened.db)
      await claimed(open(-1).claim(ask('killed')))
      const unheard = await claimed(open().claim(ask('too large')))
      await unheard.keep(null)
      for (const key of ['killed', 'too large'])
        await assert.rejects(open().claim(ask(key)), (e) => code(e) === 'OUTCOME_UNKNOWN')
    })

    test('bind no key if nothing was begun, and none for longer than a day', async () => {
      await using opened = await openDatabase({ migrations })
      const { db } = opened
      const { hand, open, ask } = await setting(db)
      const kept = open()
      await (await claimed(kept.claim(ask('k')))).release()
      await (await claimed(open().claim(ask('k', 'g')))).keep(said('yes'))
      hand.at += 24 * 3_600_000 - 1
      assert.ok('replay' in (await kept.claim(ask('k', 'g'))))
      hand.at += 1
      await (await claimed(kept.claim(ask('k', 'h')))).keep(said('anew'))
      assert.deepEqual(await kept.claim(ask('k', 'h')), { replay: said('anew') })
      hand.at += 24 * 3_600_000
      const media = { deleteExpired: async () => 0 }
      const config = { RETENTION_DAYS: 30, AUDIT_DAYS: 30 }
      await deleteExpired({ config, db, clock: hand, media }, new AbortController().signal)
      const [left] = await db.query<{ n: number }>('select count(*) as n from kept_answers')
      assert.equal(Number(left?.n), 0)
    })
  })
}
