// Kills processes at random moments under load, again and again, and looks at the end whether
// anything was lost or paid twice. The same seed makes the same choices, though not the same
// moments.
import assert from 'node:assert/strict'
import type { Db } from '#store/db.ts'
import { eventually } from '../../journeys/generation/setting.ts'
import type { Behaviour, JobState, Route } from '../../support/provider-doubles/behaviour.ts'
import { P } from '../../support/server.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import { type Chance, seeded } from '../chance.ts'
import {
  type Audit,
  allEnded,
  attemptsIn,
  audit,
  openWorld,
  type ProviderName,
  providers,
  submit,
  tasksIn,
  type World,
} from './setting.ts'

export type KillRounds = {
  database: Db['kind']
  rounds: number
  seed: number
  onRound?(round: number): void
}

export type RoundsSummary = Audit & { rounds: number; acknowledged: number; chats: number }

const tasksPerRound = 12
const chatsPerRound = 2

export async function runKillRounds(options: KillRounds): Promise<RoundsSummary> {
  await using world = await openWorld(options.database, {
    CHAT_TIMEOUT_SECONDS: '2',
    CHAT_TOTAL_SECONDS: '2',
  })
  const chance = seeded(options.seed)
  const fleet = await startFleet(world)
  const acknowledged: string[] = []
  let chats = 0
  for (let round = 0; round < options.rounds; round++) {
    await disturb(world, chance)
    const moment = await chooseMoment(world, chance)
    const asked: Promise<unknown>[] = []
    for (let i = 0; i < tasksPerRound; i++) {
      const name = providers[i % providers.length] ?? 'fal'
      const task = submit(fleet.server(), name, `task ${round}.${i}`)
      asked.push(task.then((id) => id && acknowledged.push(id)))
    }
    for (let i = 0; i < chatsPerRound; i++) {
      asked.push(chat(fleet.server(), `chat ${round}.${i}`))
      chats++
    }
    await moment(Promise.all(asked))
    await fleet.killOne(chance)
    await Promise.all(asked)
    options.onRound?.(round + 1)
  }
  await allEnded(world, 180_000)
  await chatsSettled(world)
  const known = new Set((await tasksIn(world)).map((task) => task.id))
  assert.deepEqual(
    acknowledged.filter((id) => !known.has(id)),
    [],
    'acknowledged, then lost',
  )
  await assertChatsOnce(world)
  const summary = await audit(world, fleet.server())
  return { rounds: options.rounds, acknowledged: acknowledged.length, chats, ...summary }
}

/** One process on SQLite; on PostgreSQL one that serves and two that work. */
async function startFleet(world: World) {
  const roles = world.database === 'sqlite' ? ['all'] : ['api', 'worker', 'worker']
  const running: ServerProcess[] = []
  for (const role of roles) running.push(await world.start({ ROLE: role }))
  return {
    server(): ServerProcess {
      const [first] = running
      if (!first) throw new Error('nothing serves')
      return first
    },
    async killOne(chance: Chance) {
      const victim = chance.below(running.length)
      await running[victim]?.kill()
      running[victim] = await world.start({ ROLE: roles[victim] ?? 'all' })
    },
  }
}

const faults: [Route, Behaviour][] = [
  ['submit', { do: 'refuse', status: 429 }],
  ['submit', { do: 'cut', when: 'after-accepting' }],
  ['submit', { do: 'cut', when: 'before-accepting' }],
  ['submit', { do: 'refuse', status: 500 }],
  ['poll', { do: 'refuse', status: 503 }],
  ['poll', { do: 'cut', when: 'before-accepting' }],
  ['file', { do: 'cut', when: 'mid-answer' }],
  ['list', { do: 'refuse', status: 500 }],
]
const plans: JobState[][] = [['succeeded'], ['succeeded'], ['running', 'succeeded']]

/** Providers are not always in good health either. */
async function disturb({ doubles }: World, chance: Chance) {
  for (const name of providers) {
    const plan = name === 'gemini' ? ['succeeded' as const] : chance.of(plans)
    await doubles[name].plan(...plan)
  }
  const [route, behaviour] = chance.of(faults)
  await doubles[chance.of(providers)].script(route, behaviour)
}

/** Some request of some provider, and a little after; or when all submissions are answered. */
async function chooseMoment({ doubles }: World, chance: Chance) {
  const name: ProviderName = chance.of(providers)
  const route = chance.of(
    name === 'openai' ? (['submit'] as const) : (['submit', 'poll', 'file'] as const),
  )
  const { counts } = await doubles[name].state()
  const count = counts[route] + 1 + chance.below(tasksPerRound / providers.length)
  const afterMs = chance.below(40)
  return async (allAnswered: Promise<unknown>) => {
    const arrived = doubles[name].arrived(route, count)
    await Promise.race([arrived, allAnswered.then(() => pause(500))])
    await pause(afterMs)
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const chat = (server: ServerProcess, prompt: string) =>
  server
    .call({
      method: 'POST',
      path: `${P}/chat/completions`,
      json: { model: 'test/text', messages: [{ role: 'user', content: prompt }] },
    })
    .catch(() => undefined)

/** Those that died with their process are settled by another, some time after. */
export const chatsSettled = ({ db }: World) =>
  eventually(
    () =>
      db.query(
        `select attempt as open from ledger where outcome = 'PENDING'
         union all select attempts as open from chat_intents`,
      ),
    (open) => open.length === 0,
    90_000,
  )

/** A chat was made at most once, and what the provider took is in the ledger. */
export async function assertChatsOnce(world: World) {
  const { requests, counts } = await world.doubles.openai.state()
  const chats = requests.filter(({ route }) => route === 'chat')
  const prompts = chats.map(({ body }) => /"(chat [^"]+)"/.exec(JSON.stringify(body))?.[1])
  assert.equal(new Set(prompts).size, prompts.length, 'a chat was repeated')
  const billable = (await attemptsIn(world)).filter(
    ({ operation, outcome }) => operation === 'chat' && outcome !== 'REJECTED',
  )
  const { jobs } = await world.doubles.openai.state()
  const accepted = counts.accepted - jobs.length
  assert.ok(
    accepted <= billable.length,
    `${accepted} chats taken, ${billable.length} in the ledger`,
  )
}
