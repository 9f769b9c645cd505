// Kills a server again and again while many chats are under way, and compares its ledger with
// what the provider took and with what callers were told.
import assert from 'node:assert/strict'
import type { Db } from '#store/db.ts'
import { P } from '../../support/server.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import { seeded } from '../chance.ts'
import { assertChatsOnce, chatsSettled } from '../tasks/kill-rounds.ts'
import { attemptsIn, openWorld } from '../tasks/setting.ts'

export type ChatKillRounds = {
  database: Db['kind']
  rounds: number
  seed: number
  onRound?(round: number): void
}

const callers = 24

export async function runChatKillRounds({ database, rounds, seed, onRound }: ChatKillRounds) {
  await using world = await openWorld(database, {
    CHAT_TIMEOUT_SECONDS: '2',
    CHAT_TOTAL_SECONDS: '2',
  })
  const chance = seeded(seed)
  const told = new Map<string, number>()
  let late = 0
  let server = await world.start()
  for (let round = 0; round < rounds; round++) {
    const enough = told.size + 20 + chance.below(300)
    const killed = Promise.withResolvers<void>()
    const talk = async (caller: number) => {
      for (let i = 0; ; i++) {
        const answer = await ask(server, `chat ${round}.${caller}.${i}`)
        if (answer === 'died') return
        if (answer === 'late') {
          late += 1
          continue
        }
        told.set(answer.id, answer.micros)
        if (told.size === enough) killed.resolve(server.kill())
      }
    }
    await Promise.all(Array.from({ length: callers }, (_, caller) => talk(caller)))
    await killed.promise
    server = await world.start()
    onRound?.(round + 1)
  }
  await chatsSettled(world)
  await assertChatsOnce(world)
  const attempts = await attemptsIn(world)
  const known = new Map(attempts.map((row) => [row.attempt, row]))
  for (const [attempt, micros] of told) {
    const row = known.get(attempt)
    assert.deepEqual([row?.outcome, row?.cost_micros], ['SUCCEEDED', micros], 'as it was told')
  }
  const { counts } = await world.doubles.openai.state()
  const unknown = attempts.filter(({ outcome }) => outcome === 'UNKNOWN').length
  assert.ok(unknown <= rounds * callers + late, `${unknown} chats were under way`)
  const [days] = await world.db.query<{ calls: number; micros: number }>(
    'select sum(calls) as calls, sum(cost_micros) as micros from spend_days',
  )
  const micros = attempts.reduce((sum, row) => sum + (row.cost_micros ?? 0), 0)
  // On a busy machine the time of a chat may end before it is sent; such a call is in no sum.
  const billed = attempts.filter(({ outcome }) => outcome !== 'REJECTED').length
  assert.deepEqual([Number(days?.calls), Number(days?.micros)], [billed, micros])
  assert.equal(await server.stop(), 0)
  return {
    rounds,
    told: told.size,
    taken: counts.accepted,
    attempts: attempts.length,
    unknown,
    late,
  }
}

/** `late`: the provider had no time to answer within the limit, on a machine that is busy. */
async function ask(server: ServerProcess, prompt: string) {
  const json = { model: 'test/text', messages: [{ role: 'user', content: prompt }] }
  const call = { method: 'POST', path: `${P}/chat/completions`, json }
  const answer = await server.call(call).catch(() => undefined)
  if (!answer) return 'died'
  if (answer.status === 504) return 'late'
  assert.equal(answer.status, 200, answer.text)
  const { id, cost } = answer.body.data
  return { id: String(id), micros: Math.round(cost.amount * 1_000_000) }
}
