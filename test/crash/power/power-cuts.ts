// The power is cut again and again while a server is busy, and each time it starts on what a disk
// would then hold. Everything that it acknowledged must be there, no paid call may be repeated, and
// nothing may be ordered for what was cancelled. The same seed makes the same choices, though not
// the same moments.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { eventually } from '../../journeys/generation/setting.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import { type Chance, seeded } from '../chance.ts'
import { attemptsIn, openWorld, type World } from '../tasks/setting.ts'
import type { Aftermath, PowerCut } from './record-syncs.ts'
import type { Loss } from './survivors.ts'
import { isGone, keepBusy, missing, nothingTold, type Told } from './witness.ts'

const recorder = fileURLToPath(new URL('./record-syncs.ts', import.meta.url))
const losses: Loss[] = ['dropped', 'dropped', 'torn', 'torn', 'kept']
/** From a fast disk to one on a busy network. A start alone syncs some twenty times. */
const disks = [
  { syncMs: 2, mostSyncs: 300 },
  { syncMs: 15, mostSyncs: 120 },
  { syncMs: 60, mostSyncs: 60 },
]

export type PowerCuts = { cuts: number; seed: number; onCut?(cut: number): void }

export async function runPowerCuts({ cuts, seed, onCut }: PowerCuts) {
  const sum = { cuts: 0, duringStart: 0, runs: 0, cancelled: 0, tasks: 0, chats: 0, keys: 0 }
  await using world = await openWorld('sqlite', {
    SIGN_UP: 'open',
    CHAT_TIMEOUT_SECONDS: '20',
    CHAT_TOTAL_SECONDS: '20',
  })
  const chance = seeded(seed)
  const names = { next: 0 }
  const name = () => `task ${names.next++}.`
  let told = nothingTold()
  let before = nothingTold()
  for (; sum.cuts < cuts; sum.cuts++, onCut?.(sum.cuts)) {
    const plan = planOf(world, chance)
    const where = `cut ${sum.cuts} of seed ${seed}, ${JSON.stringify(plan)}`
    const server = await startUntilCut(world, plan)
    if (!server) sum.duringStart++
    else {
      try {
        for (const one of [before, told])
          assert.deepEqual(await missing(server, one), [], `before ${where}`)
        before = told
        told = nothingTold()
        await keepBusy({ server, told, chance, name, syncMs: plan.syncMs })
      } catch (error) {
        if (!isGone(error)) throw error
      }
      await server.ended
    }
    const aftermath = await restore(world, plan)
    dropUnsafeChats(told, aftermath)
    for (const key of ['runs', 'cancelled', 'tasks', 'chats', 'keys'] as const)
      sum[key] += server ? told[key].size : 0
  }
  const server = await world.start()
  for (const one of [before, told]) assert.deepEqual(await missing(server, one), [], 'at the end')
  await settled(world)
  await assertPaidOnce(world, told)
  assert.equal(await server.stop(), 0)
  return sum
}

function planOf({ dataDir }: World, chance: Chance): PowerCut {
  const { syncMs, mostSyncs } = chance.of(disks)
  return {
    out: `${dataDir}.after`,
    seed: chance.below(2 ** 31),
    loss: chance.of(losses),
    syncMs,
    atSync: 1 + chance.below(mostSyncs),
  }
}

/** Undefined if the power was cut before the server was ready. */
async function startUntilCut(world: World, plan: PowerCut): Promise<ServerProcess | undefined> {
  const env = { ATELIER_TEST_CUT: JSON.stringify(plan) }
  try {
    return await world.start(env, ['--import', recorder])
  } catch (error) {
    if (!existsSync(`${plan.out}.json`)) throw error
    return undefined
  }
}

/** Puts the folder in the state in which the disk would be. */
async function restore({ dataDir }: World, { out }: PowerCut): Promise<Aftermath> {
  const aftermath = JSON.parse(readFileSync(`${out}.json`, 'utf8'))
  await rm(dataDir, { recursive: true, force: true })
  await rm(`${out}.json`)
  await rename(out, dataDir)
  return aftermath
}

/** Chats are answered before they are on disk (decision 5). */
function dropUnsafeChats({ chats }: Told, { chatsUpToMs }: Aftermath) {
  for (const [id, answeredAtMs] of chats) if (answeredAtMs >= chatsUpToMs) chats.delete(id)
}

const settled = ({ db }: World) =>
  eventually(
    () =>
      db.query(`select id from runs where completed_at is null
        union all select id from tasks where completed_at is null
        union all select attempt as id from ledger where outcome = 'PENDING'`),
    (open) => open.length === 0,
    180_000,
  )

/** No name was asked for twice, and chats that had to survive are in the ledger. */
async function assertPaidOnce(world: World, told: Told) {
  const [openai, fal] = await Promise.all([world.doubles.openai.state(), world.doubles.fal.state()])
  const chats = openai.requests.filter(({ route }) => route === 'chat').map(({ body }) => body)
  for (const bodies of [chats, fal.jobs.map(({ body }) => body)]) {
    const prompts = bodies.map(
      (body) => /"(task [0-9]+\.)(?: [a-z ]+)?"/.exec(JSON.stringify(body))?.[1],
    )
    const counts = Map.groupBy(prompts, (prompt) => prompt)
    const doubled = [...counts].filter(([, made]) => made.length > 1).map(([prompt]) => prompt)
    assert.deepEqual(doubled, [], 'paid twice')
  }
  const known = new Set((await attemptsIn(world)).map(({ attempt }) => attempt))
  const lost = [...told.chats.keys()].filter((id) => !known.has(id))
  assert.deepEqual(lost, [], 'chats that are not in the ledger')
}
