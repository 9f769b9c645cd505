import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Db } from '#store/db.ts'
import { requestCancel } from '#store/tables/cancel-run.ts'
import { closeWaitsOfRuns } from '#store/tables/waits.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { migrations } from './setting.ts'
import { type Account, closeTools, openAccount } from './waiting.ts'

const approve = { decision: 'approve' }
const reject = { decision: 'reject' }

type Wait = { runId: string; waitId: string }

const stateOf = async (db: Db, { runId, waitId }: Wait) => {
  const [row] = await db.query<{ status: string; wakes: number; wake_at: number | null }>(
    `select w.status, r.wakes, r.wake_at from waits w join runs r on r.id = w.run_id
     where w.id = $1 and r.id = $2`,
    [waitId, runId],
  )
  assert.ok(row)
  return { status: row.status, wakes: Number(row.wakes), isAsleep: row.wake_at !== null }
}

after(closeTools)

for (const { name, open } of databases) {
  describe(`answers to what a run waits for (${name})`, () => {
    let database: TestDatabase
    let db: Db
    let on: Account
    before(async () => {
      database = await open({ migrations })
      db = database.db
      on = await openAccount(db)
    })
    after(() => database.close())

    test('an answer is stored with who, when and from where, and wakes the run', async () => {
      const ann = await on.addPerson('ann@example.com', 'editor')
      const wait = await on.addWait()
      const answered = await on.answer(wait, ann, { ...approve, comment: 'fine' })
      assert.equal(answered.status, 200)
      const { answer, status, idempotentReplay } = answered.data
      assert.deepEqual([status, idempotentReplay], ['ANSWERED', false])
      assert.deepEqual(
        [answer.decision, answer.comment, answer.by.kind, answer.by.name, answer.from],
        ['approve', 'fine', 'person', 'ann@example.com', '192.0.2.1'],
      )
      assert.deepEqual(await stateOf(db, wait), { status: 'ANSWERED', wakes: 1, isAsleep: false })
      const audit = await db.query<{ action: string; target: string; actor_user: string }>(
        `select action, target, actor_user from audit_entries where account_id = $1`,
        [on.accountId],
      )
      assert.deepEqual(audit.at(-1), {
        action: 'wait.answered',
        target: `approve: Publish? (run ${wait.runId})`,
        actor_user: ann.userId,
      })
    })

    test('of 100 answers at once one wins, the others are told who, when and what', async () => {
      const [bea, cid] = [
        await on.addPerson('bea@example.com', 'editor'),
        await on.addPerson('cid@example.com', 'editor'),
      ]
      const wait = await on.addWait()
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          on.answer(wait, i % 2 ? bea : cid, {
            decision: i % 2 ? 'approve' : 'reject',
            comment: `${i}`,
          }),
        ),
      )
      const [winner, ...others] = outcomes.filter(({ status }) => status === 200)
      assert.ok(winner)
      assert.equal(others.length, 0)
      for (const { status, code, details } of outcomes.filter((one) => one !== winner)) {
        assert.deepEqual([status, code], [409, 'WAIT_ALREADY_ANSWERED'])
        assert.deepEqual(details.answer, winner.data.answer)
      }
      assert.equal((await stateOf(db, wait)).wakes, 1, 'whoever loses wakes nobody')
    })

    test('the same answer by the same caller is a replay, by another or changed it is late', async () => {
      const [dan, eve] = [
        await on.addPerson('dan@example.com', 'editor'),
        await on.addPerson('eve@example.com', 'editor'),
      ]
      const wait = await on.addWait()
      const first = await on.answer(wait, dan, { ...approve, comment: 'yes' })
      const again = await on.answer(wait, dan, { comment: 'yes', ...approve })
      assert.deepEqual([again.status, again.data.idempotentReplay], [200, true])
      assert.deepEqual(again.data.answer, first.data.answer)
      for (const [caller, body] of [
        [eve, { ...approve, comment: 'yes' }],
        [dan, approve],
        [dan, { ...reject, comment: 'yes' }],
      ] as const) {
        assert.equal((await on.answer(wait, caller, body)).code, 'WAIT_ALREADY_ANSWERED')
      }
    })

    test('from its expiry on nobody can answer, whether or not the timer has fired', async () => {
      const fay = await on.addPerson('fay@example.com', 'editor')
      const late = await on.addWait({ expires_at: Date.now() })
      assert.equal((await on.answer(late, fay, approve)).code, 'WAIT_EXPIRED')
      assert.deepEqual(await stateOf(db, late), { status: 'OPEN', wakes: 0, isAsleep: true })
      await db.write(`update waits set status = 'EXPIRED' where id = $1`, [late.waitId])
      assert.equal((await on.answer(late, fay, approve)).code, 'WAIT_EXPIRED')
    })

    test('what is too late is not judged any further: neither the answer nor who gives it', async () => {
      const gus = await on.addPerson('gus@example.com', 'editor')
      const viewer = await on.addPerson('vera@example.com', 'viewer')
      const form = {
        ...{ type: 'object', additionalProperties: false },
        ...{ properties: { rating: { type: 'integer' } }, required: ['rating'] },
      }
      const now = Date.now()
      const asking = await on.addWait({ form, mayEdit: true, expires_at: now })
      const own = await on.addWait({ fourEyes: true, expires_at: now }, gus.userId)
      const named = await on.addWait({ approvers: ['vera@example.com'], expires_at: now })
      const failing = await on.addWait({ form })
      await db.write(`update runs set node_errors = '[]' where id = $1`, [failing.runId])
      for (const [wait, caller, body, code] of [
        [asking, gus, { ...approve, response: { rating: 'good' } }, 'WAIT_EXPIRED'],
        [asking, gus, { ...approve, response: { rating: 1 }, value: 7 }, 'WAIT_EXPIRED'],
        [asking, viewer, approve, 'WAIT_EXPIRED'],
        [own, gus, approve, 'WAIT_EXPIRED'],
        [named, gus, approve, 'WAIT_EXPIRED'],
        [failing, gus, approve, 'WAIT_CANCELLED'],
      ] as const) {
        const refused = await on.answer(wait, caller, body)
        assert.deepEqual([refused.status, refused.code], [409, code])
      }
      const read = await on.call('getWait', gus, { params: asking })
      assert.equal(read.data.mayAnswer, false)
    })

    test('a run that failed, was cancelled or ended takes no answer', async () => {
      const gil = await on.addPerson('gil@example.com', 'editor')
      const failing = await on.addWait()
      await db.write(`update runs set node_errors = '[]' where id = $1`, [failing.runId])
      const cancelled = await on.addWait()
      await db.transaction((tx) =>
        requestCancel(tx, on.accountId, cancelled.runId, { reason: null, nowMs: 1 }),
      )
      const closed = await on.addWait()
      await db.writeAll(() => [
        { sql: `update runs set completed_at = 1 where id = $1`, rows: [[closed.runId]] },
        closeWaitsOfRuns(db.dialect, [closed.runId]),
      ])
      for (const wait of [failing, cancelled, closed]) {
        assert.equal((await on.answer(wait, gil, approve)).code, 'WAIT_CANCELLED')
      }
    })

    test('unknown, foreign and mismatched waits are not found', async () => {
      const hal = await on.addPerson('hal@example.com', 'owner')
      const wait = await on.addWait()
      const other = await openAccount(db)
      const stranger = await other.addPerson('stranger@example.com', 'owner')
      const delay = await on.addWait({ kind: 'DELAY' })
      for (const [account, params, caller] of [
        [on, { ...wait, waitId: randomUUID() }, hal],
        [on, { ...wait, runId: (await on.addWait()).runId }, hal],
        [on, delay, hal],
        [other, wait, stranger],
      ] as const) {
        assert.equal((await account.answer(params, caller, approve)).code, 'WAIT_NOT_FOUND')
      }
      const read = await other.call('getWait', stranger, { params: wait })
      assert.equal(read.code, 'WAIT_NOT_FOUND')
      const list = await other.call('listWaits', stranger, {})
      assert.deepEqual(list.data, { items: [], next: null, count: 0 })
    })

    describe('who may answer', () => {
      test('without approvers every editor may, and a viewer may not', async () => {
        const ida = await on.addPerson('ida@example.com', 'viewer')
        const jon = await on.addPerson('jon@example.com', 'editor')
        const wait = await on.addWait()
        assert.equal((await on.answer(wait, ida, approve)).code, 'NOT_AN_APPROVER')
        assert.equal((await on.answer(wait, jon, approve)).status, 200)
      })

      test('with approvers only these may, however they spell their address', async () => {
        const kim = await on.addPerson('kim@example.com', 'viewer')
        const leo = await on.addPerson('leo@example.com', 'owner')
        const wait = await on.addWait({ approvers: ['KIM@example.com', 'gone@example.com'] })
        const refused = await on.answer(wait, leo, approve)
        assert.deepEqual([refused.status, refused.code], [403, 'NOT_AN_APPROVER'])
        assert.equal((await on.answer(wait, kim, approve)).status, 200)
      })

      test('an approver whose access is disabled counts as one who has left', async () => {
        const gail = await on.addPerson('gail@example.com', 'owner')
        const kit = await on.addPerson('kit@example.com', 'editor')
        const lou = await on.addPerson('lou@example.com', 'editor')
        const wait = await on.addWait({ approvers: ['kit@example.com', 'lou@example.com'] })
        const disable = (id: string | null) =>
          db.write(`update users set disabled_at = 1 where id = $1`, [id])
        await disable(kit.userId)
        assert.equal((await on.answer(wait, kit, approve)).code, 'NOT_AN_APPROVER')
        assert.equal((await on.answer(wait, gail, approve)).code, 'NOT_AN_APPROVER', 'one is left')
        await disable(lou.userId)
        assert.equal((await on.answer(wait, gail, approve)).status, 200)
      })

      test('if all approvers have left, owners may', async () => {
        const mia = await on.addPerson('mia@example.com', 'editor')
        const ned = await on.addPerson('ned@example.com', 'editor')
        const oda = await on.addPerson('oda@example.com', 'owner')
        const wait = await on.addWait({ approvers: ['mia@example.com'] })
        assert.equal((await on.answer(wait, oda, approve)).code, 'NOT_AN_APPROVER')
        await db.write(
          `update users set removed_at = 1, former_email = email, email = null
          where id = $1`,
          [mia.userId],
        )
        assert.equal((await on.answer(wait, mia, approve)).code, 'NOT_AN_APPROVER')
        assert.equal((await on.answer(wait, ned, approve)).code, 'NOT_AN_APPROVER')
        assert.equal((await on.answer(wait, oda, approve)).status, 200)
      })

      test('with four eyes whoever started the run may not, nor a key of theirs', async () => {
        const pia = await on.addPerson('pia@example.com', 'owner')
        const rob = await on.addPerson('rob@example.com', 'editor')
        const wait = await on.addWait({ fourEyes: true }, pia.userId)
        const key = { ...pia, keyId: randomUUID() }
        for (const caller of [pia, key]) {
          const { code, details } = await on.answer(wait, caller, approve)
          assert.deepEqual([code, details.reason], ['NOT_AN_APPROVER', 'starter'])
        }
        assert.equal((await on.answer(wait, rob, approve)).status, 200)
        // Two programs without a person cannot be told apart.
        const unknown = await on.addWait({ fourEyes: true })
        const program = { userId: null, keyId: null }
        assert.equal((await on.answer(unknown, program, approve)).code, 'NOT_AN_APPROVER')
      })
    })

    describe('what an answer must fit', () => {
      const form = {
        type: 'object',
        additionalProperties: false,
        properties: { rating: { type: 'integer', minimum: 1, maximum: 5 } },
        required: ['rating'],
      }
      test('a response that does not fit the form is refused, and the wait stays open', async () => {
        const sue = await on.addPerson('sue@example.com', 'editor')
        const wait = await on.addWait({ form })
        for (const response of [undefined, { rating: 6 }, { rating: 1, more: 1 }]) {
          const refused = await on.answer(wait, sue, { ...approve, ...(response && { response }) })
          assert.deepEqual([refused.status, refused.code], [422, 'ANSWER_INVALID'])
          assert.match(refused.details.issues[0].path, /^\/response/)
        }
        assert.equal((await stateOf(db, wait)).status, 'OPEN')
        const answered = await on.answer(wait, sue, { ...approve, response: { rating: 5 } })
        assert.deepEqual(answered.data.answer.response, { rating: 5 })
      })

      test('whoever rejects may leave the form empty', async () => {
        const tom = await on.addPerson('tom@example.com', 'editor')
        const wait = await on.addWait({ form })
        assert.equal((await on.answer(wait, tom, reject)).status, 200)
      })

      test('a value is replaced only where the node allows it, a response only where one is asked', async () => {
        const una = await on.addPerson('una@example.com', 'editor')
        const fixed = await on.addWait()
        const wrong = [
          { ...approve, value: 'new' },
          { ...approve, response: { a: 1 } },
        ]
        for (const body of [
          ...wrong,
          { decision: 'maybe' },
          { ...approve, comment: 'x'.repeat(2001) },
        ]) {
          assert.equal((await on.answer(fixed, una, body)).code, 'ANSWER_INVALID')
        }
        const open = await on.addWait({ mayEdit: true })
        const other = await on.answer(open, una, { ...approve, value: { text: 'new' } })
        assert.equal(other.code, 'ANSWER_INVALID')
        const answered = await on.answer(open, una, { ...approve, value: 'new' })
        assert.equal(answered.data.answer.value, 'new')
      })

      test('a callback takes no decision', async () => {
        const vic = await on.addPerson('vic@example.com', 'owner')
        const wait = await on.addWait({ kind: 'CALLBACK' })
        assert.equal((await on.answer(wait, vic, approve)).code, 'ANSWER_INVALID')
      })
    })

    describe('the list of what waits', () => {
      test('holds open approvals and callbacks, oldest first, page by page', async () => {
        const own = await openAccount(db)
        const wim = await own.addPerson('wim@example.com', 'owner')
        const waits = []
        for (const title of ['one', 'two', 'three']) waits.push(await own.addWait({ title }))
        await own.addWait({ kind: 'DELAY' })
        await own.answer(waits[0] ?? {}, wim, approve)
        const first = await own.call('listWaits', wim, { query: { size: '1' } })
        assert.deepEqual(
          first.data.items.map((one: { title: string }) => one.title),
          ['two'],
        )
        assert.equal(first.data.count, 2)
        const query = { size: '1', cursor: first.data.next }
        const second = await own.call('listWaits', wim, { query })
        assert.deepEqual(
          second.data.items.map((one: { title: string }) => one.title),
          ['three'],
        )
        assert.deepEqual([second.data.next, second.data.count], [null, 2])
        const odd = await own.call('listWaits', wim, { query: { cursor: 'x' } })
        assert.equal(odd.code, 'INVALID_REQUEST')
      })

      test('mine are those I may decide; a search finds titles and workflows', async () => {
        const own = await openAccount(db)
        const xia = await own.addPerson('xia@example.com', 'editor')
        await own.addWait({ title: 'For Xia', approvers: ['xia@example.com'] })
        await own.addWait({
          title: 'For another',
          approvers: ['zoe@example.com', 'xia2@example.com'],
        })
        await own.addWait({ title: 'Of her own run', fourEyes: true }, xia.userId)
        await own.addWait({ kind: 'CALLBACK', title: 'Machine' })
        const titles = async (query: object) => {
          const { data } = await own.call('listWaits', xia, { query })
          return data.items.map((one: { title: string }) => one.title)
        }
        assert.deepEqual(await titles({ mine: 'true' }), ['For Xia'])
        assert.deepEqual(await titles({ q: 'FOR  an' }), ['For another'])
        assert.equal((await titles({ workflowId: String(own.workflow.id) })).length, 4)
        assert.deepEqual(await titles({ workflowId: '999999' }), [])
      })
    })

    test('the address that answers a wait is shown only to those who may decide', async () => {
      const yan = await on.addPerson('yan@example.com', 'editor')
      const viewer = await on.addPerson('zed@example.com', 'viewer')
      const wait = await on.addWait({ link: true })
      const url = async (caller: typeof yan, scopes?: string[]) => {
        const { data } = await on.call('getWait', caller, {
          params: wait,
          ...(scopes && { scopes }),
        })
        return data.url
      }
      assert.match(await url(yan), /^http:\/\/127\.0\.0\.1\/w\/[A-Za-z0-9_-]{64}$/)
      assert.equal(await url(yan, ['runs:read', 'runs:write']), undefined)
      assert.equal(await url(viewer), undefined)
      await on.answer(wait, yan, approve)
      assert.equal(await url(yan), undefined)
      const [token] = await db.query(`select * from waits where id = $1`, [wait.waitId])
      const { tokens } = on.services.waits
      assert.ok(!JSON.stringify(token).includes(tokens.urlOf('link', wait.waitId).slice(-64)))
    })
  })
}
