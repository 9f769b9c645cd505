// Schedulers that die at random commits, or are held up and go on later, while the clock jumps. At
// the end every occurrence has exactly one firing, and every firing exactly one run.
import assert from 'node:assert/strict'
import { schedule } from '#engine/triggers/scheduler.ts'
import type { Db } from '#store/db.ts'
import { countRuns, minuteMs, mortal, openStage, startMs } from './setting.ts'

export type KillTally = { rounds: number; kills: number; jumps: number; firings: number }

/** A generator of numbers below 1 that a seed decides. */
const chances = (seed: number) => {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

export async function killSchedulers(
  db: Db,
  { rounds, seed }: { rounds: number; seed: number },
): Promise<KillTally> {
  const random = chances(seed)
  const stage = await openStage(db)
  const ids = [
    await stage.add({ everySeconds: 60, startAtMs: startMs }),
    await stage.add({ cron: '*/2 * * * *', timeZone: 'Europe/Berlin', jitterSeconds: 45 }),
  ]
  const tally: KillTally = { rounds, kills: 0, jumps: 0, firings: 0 }
  let elapsedMs = 0
  let held: ReturnType<typeof mortal>[] = []
  for (let round = 0; round < rounds; round++) {
    elapsedMs += Math.floor(random() * 3 * minuteMs)
    const jumpMs = random() < 0.2 ? Math.floor((random() - 0.5) * 120 * minuteMs) : 0
    if (jumpMs !== 0) tally.jumps++
    stage.time.nowMs = startMs + elapsedMs + jumpMs
    const processes = Array.from({ length: 3 }, () => mortal(stage))
    for (const one of processes) {
      if (random() >= 0.6) continue
      one.killAt(1 + Math.floor(random() * 6), random() < 0.5 ? 'before' : 'after')
    }
    await Promise.all(
      processes.map((one) => Promise.race([schedule(one.deps).catch(() => {}), one.died])),
    )
    const dead = processes.filter((one) => one.isDead())
    tally.kills += dead.length
    // Some were only held up, and go on with what they believed long after others have taken over.
    for (const one of held) one.revive()
    held = dead.filter(() => random() < 0.3)
  }
  for (const one of held) one.revive()
  // Everything that is left over is taken up once its hold has run out.
  const endMs = startMs + elapsedMs + 70 * minuteMs
  for (let step = 0; step < 12; step++) await stage.round(endMs + step * minuteMs)
  tally.firings = await assertOnceEach(stage, ids, endMs)
  return tally
}

async function assertOnceEach(
  stage: Awaited<ReturnType<typeof openStage>>,
  ids: readonly string[],
  endMs: number,
): Promise<number> {
  const all = (await Promise.all(ids.map(stage.firings))).flat()
  const made = all.filter(({ reason }) => reason !== 'MISSED')
  const steps = [minuteMs, 2 * minuteMs]
  for (const [i, id] of ids.entries()) {
    const stepMs = steps[i] ?? minuteMs
    const firings = await stage.firings(id)
    const fired = firings.filter(({ reason }) => reason === null).map((row) => row.scheduled_at)
    const missed = firings.filter(({ reason }) => reason === 'MISSED')
    const count = fired.length + missed.reduce((sum, row) => sum + Number(row.missed), 0)
    assert.equal(new Set(fired).size, fired.length, 'no occurrence fired twice')
    assert.ok(fired.every((atMs) => (atMs - startMs) % stepMs === 0))
    const last = Math.max(...fired)
    assert.equal(count, (last - startMs) / stepMs + 1, 'no occurrence was lost')
    assert.ok(last >= endMs, 'and it goes on')
  }
  assert.deepEqual(
    [...new Set(made.map(({ status }) => status))].sort(),
    ['ENDED', 'STARTED'].filter((status) => made.some((row) => row.status === status)),
  )
  const runIds = new Set(made.map(({ run_id }) => run_id))
  assert.equal(runIds.size, made.length)
  assert.equal(await countRuns(stage.db), made.length, 'every run belongs to one firing')
  return made.length
}
