// Workers that are killed at some commit while runs wait, are answered, and become due.
import assert from 'node:assert/strict'
import type { Db } from '#store/db.ts'
import { waitsOfRun } from '#store/tables/waits.ts'
import {
  addRun,
  addWorkflow,
  countingProvider,
  newAccount,
  type Process,
  rowOf,
  startProcess,
} from './setting.ts'
import { answer, approval, delay, isAsleep, makeDue } from './sleeping.ts'

export type Kill = { commits: number; moment: 'before' | 'after'; waitsFor: 'answer' | 'time' }

/** Resolves with how it ended, and whether the worker lived to see that. */
export async function liveThroughKill(db: Db, { commits, moment, waitsFor }: Kill) {
  const account = newAccount()
  const graph = waitsFor === 'answer' ? approval() : delay(3_600)
  const workflow = await addWorkflow(db, account, graph)
  const provider = countingProvider()
  const victim = await startProcess(db, provider)
  victim.store.killAt(commits, moment)
  const id = await addRun(db, account, workflow, { inputs: '{"in":"a"}' })
  let accepted = 0
  const poke = async () => {
    if (!(await isAsleep(db, id))) return
    if (waitsFor === 'time') await makeDue(db)
    else if (await answer(db, account, id, { decision: 'approve' })) accepted++
  }
  await untilEnded(db, id, poke, victim)
  const hasSeenEnd = !victim.store.isDead()
  await victim.bury()
  const heir = await startProcess(db, provider)
  await untilEnded(db, id, poke)
  await heir.bury()
  const { status, outputs, node_errors } = await rowOf(db, id)
  for (const [prompt, count] of provider.asked) assert.equal(count, 1, prompt)
  if (status === 'COMPLETED') assert.deepEqual(JSON.parse(outputs ?? ''), { out: 'a+ a+!+' })
  else assert.equal(node_errors?.[0]?.code, 'PROVIDER_OUTCOME_UNKNOWN')
  const waits = await waitsOfRun(db, account, id)
  assert.ok(waits.length <= 1 && waits.every((wait) => wait.status !== 'OPEN'))
  assert.ok(accepted <= 1, `answered ${accepted} times`)
  return { status, hasSeenEnd }
}

async function untilEnded(db: Db, id: string, poke: () => Promise<void>, victim?: Process) {
  const deadline = Date.now() + 120_000
  while (!victim?.store.isDead()) {
    const row = await rowOf(db, id)
    if (row.completed_at !== null) return
    assert.ok(Date.now() < deadline, `it does not end: ${JSON.stringify(row)}`)
    await poke()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Rounds with kills that a seed chooses. */
export async function runWaitKills(
  db: Db,
  {
    rounds,
    seed,
    onRound,
  }: { rounds: number; seed: number; onRound(done: number, dead: number): void },
) {
  let state = seed >>> 0 || 1
  const below = (n: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
  const ends: Record<string, number> = {}
  let killed = 0
  for (let round = 1; round <= rounds; round++) {
    const { status, hasSeenEnd } = await liveThroughKill(db, {
      commits: 1 + below(16),
      moment: below(2) === 0 ? 'before' : 'after',
      waitsFor: below(2) === 0 ? 'answer' : 'time',
    })
    ends[status] = (ends[status] ?? 0) + 1
    if (!hasSeenEnd) killed++
    onRound(round, killed)
  }
  return { rounds, killed, seed, ends }
}
