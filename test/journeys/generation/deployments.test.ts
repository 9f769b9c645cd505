// Several keys of one provider. What the doubles count, the ledger and what is shown must agree.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { seededRandom } from '../../simulation/random.ts'
import { callFaultyKeys, type Keys, openKeys } from './keyed-doubles.ts'
import { type Customer, chat, ended, newCustomer, says, submitted } from './setting.ts'

const asked = (keys: Keys) => Object.values(keys).map(({ counts }) => counts.chat)

async function states({ ask }: Pick<Customer, 'ask'>): Promise<Record<string, string>> {
  const { body } = await ask('GET', '/server')
  const { deployments } = body.data.providers.find(({ id }: { id: string }) => id === 'keyed')
  return Object.fromEntries(
    deployments.map(({ name, state }: { name: string; state: string }) => [name, state]),
  )
}

describe('a provider with several keys', () => {
  test('answers with another key if one is refused, and says which made each call', async (t) => {
    const { bench, keys } = await openKeys(t)
    keys.a.always('chat', { do: 'refuse', status: 401 })
    keys.b.always('chat', { do: 'refuse', status: 429, headers: { 'retry-after': '60' } })
    const customer = await newCustomer(bench)
    const { key, ask } = customer
    let talks = 0
    const told: object[] = []
    const ends: Record<string, string> = { a: 'unavailable', b: 'rate_limit', c: 'answered' }
    const talk = async () => {
      const messages = [says(`Talk ${talks++}`)]
      const said = await chat(bench, { model: 'keyed/text', messages }, { key })
      assert.equal(said.status, 200, said.text)
      const { attempts } = said.body.data
      for (const { model, deployment, outcome } of attempts)
        assert.deepEqual([model, outcome], ['keyed/text', ends[deployment]])
      assert.deepEqual(
        `${said.headers['x-atelier-attempts']}`.split(', '),
        attempts.map(
          ({ outcome, deployment }: Record<string, string>) =>
            `keyed/text;${outcome};deployment=${deployment}`,
        ),
      )
      told.push(...attempts)
    }
    // Which key comes first for a conversation is chance: by then each was.
    while (talks < 12 || (talks < 40 && asked(keys).includes(0))) await talk()
    // Each was asked until it refused, and not again.
    assert.deepEqual(asked(keys), [1, 1, talks])
    const { items } = (
      await ask('GET', `/calls?size=50&day=${new Date().toISOString().slice(0, 10)}&tz=UTC`)
    ).body.data
    const moved = items.filter(({ attempt }: { attempt: number }) => attempt > 1)
    assert.equal(items.length, talks + 2)
    assert.equal(told.length, items.length)
    assert.ok(moved.length >= 1)
    for (const { id, deployment, outcome, attempt, firstAttemptId } of items) {
      assert.equal(outcome, deployment === 'c' ? 'SUCCEEDED' : 'REJECTED')
      assert.equal(attempt === 1, firstAttemptId === id)
    }
    assert.deepEqual(await states(customer), { a: 'refused', b: 'busy', c: 'ready' })
    const { providers } = (await ask('GET', '/server')).body.data
    const keyed = providers.find(({ id }: { id: string }) => id === 'keyed')
    assert.deepEqual(
      keyed.deployments.map(({ refusedAt }: { refusedAt: string | null }) => refusedAt !== null),
      [true, false, false],
    )
    // It is tried again by itself, once a while has passed.
    keys.a.always('chat', { do: 'answer' })
    bench.clock.advance(120_000)
    Object.assign(ends, { a: 'answered', b: 'answered' })
    const before = talks
    while (talks < before + 40 && asked(keys)[0] === 1) await talk()
    assert.equal((await states(customer)).a, 'ready')
  })

  test('is asked for a job with the key that submitted it', async (t) => {
    const { bench, keys } = await openKeys(t)
    keys.a.always('submit', { do: 'refuse', status: 429 })
    keys.b.always('submit', { do: 'refuse', status: 403 })
    keys.c.plan('succeeded')
    const task = await ended(bench, await submitted(bench, 'video', { model: 'keyed/video' }))
    assert.equal(task.status, 'COMPLETED', JSON.stringify(task.error))
    assert.deepEqual(
      Object.values(keys).map(({ counts }) => [
        counts.accepted,
        counts.poll > 0,
        counts.unauthorized,
      ]),
      [
        [0, false, 0],
        [0, false, 0],
        [1, true, 0],
      ],
    )
  })

  test('is never paid twice, whatever its keys do, and the ledger has all calls', async (t) => {
    const opened = await openKeys(t)
    const seed = Date.now() % 2 ** 31
    t.diagnostic(`seed ${seed}`)
    const { moved } = await callFaultyKeys(opened, 1_000, seededRandom(seed))
    assert.ok(moved > 100, `only ${moved} calls moved`)
  })
})
