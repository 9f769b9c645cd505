// A worker is held up at a commit, loses its lease to another that ends the run, and goes on: as a
// process that was stopped, or a machine that slept, does.
import assert from 'node:assert/strict'
import type { Db } from '#store/db.ts'
import { createPauses } from '../../support/pauses.ts'
import {
  addRun,
  addWorkflow,
  allEnded,
  chain,
  countingProvider,
  newAccount,
  type Process,
  rowOf,
  startProcess,
} from './setting.ts'

const steps = 2
const mostCommits = 60

/** At every commit of a run in turn. Returns what was wrong, in words. */
export async function holdUpAtEveryCommit(db: Db, moment: 'before' | 'after'): Promise<string[]> {
  const accountId = newAccount()
  const workflow = await addWorkflow(db, accountId, chain(steps))
  const wrong: string[] = []
  for (let commits = 1; commits < mostCommits; commits++) {
    const provider = countingProvider()
    const slow = await startProcess(db, provider)
    slow.store.killAt(commits, moment)
    const id = await addRun(db, accountId, workflow, { inputs: JSON.stringify({ in: 'p' }) })
    await Promise.race([slow.store.died, ended(db, id)])
    const sawAll = !slow.store.isDead()
    await slow.expire()
    const heir = await startProcess(db, provider)
    await allEnded(db)
    const before = await stateOf(db, heir, id)
    slow.store.revive()
    // Answers once whatever it had to say has been said.
    await slow.worker.stop()
    const at = `held up ${moment} commit ${commits}`
    for (const [prompt, count] of provider.asked) {
      if (count > 1) wrong.push(`${at}: "${prompt}" was asked for ${count} times`)
    }
    if ((await stateOf(db, heir, id)) !== before) wrong.push(`${at}: an ended run was changed`)
    await heir.bury()
    if (sawAll) return wrong
  }
  assert.fail('a run makes so many commits')
}

/** All but the cost, to which calls that were under way are added. */
async function stateOf(db: Db, { steps }: Process, id: string): Promise<string> {
  const { cost_micros: _, in_flight: __, ...row } = await rowOf(db, id)
  return JSON.stringify([row, await steps.ofRun(id)])
}

async function ended(db: Db, id: string) {
  const pause = createPauses(2)
  while ((await rowOf(db, id)).completed_at === null) {
    await pause()
  }
}
