// Three processes fire the triggers of one database, and die at random: kill -9. At the end the
// firings are exactly the times that were due, and each has one run.
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Db } from '#store/db.ts'
import { countRuns, openStage } from '../contract/triggers/setting.ts'

const program = fileURLToPath(new URL('./scheduler-process.ts', import.meta.url))
const processes = 3

export async function killSchedulerProcesses(
  { db, url }: { db: Db; url: string },
  { kills, random }: { kills: number; random(): number },
): Promise<object> {
  const stage = await openStage(db)
  const { node_count: nodeCount } = stage.workflow
  const start = async (): Promise<ChildProcess> => {
    const child = fork(program, [url, `${nodeCount}`])
    await once(child, 'message')
    return child
  }
  const fleet = await Promise.all(Array.from({ length: processes }, start))
  const startAtMs = Math.ceil(Date.now() / 1000) * 1000 + 1_000
  // Far away, until it is known how long the kills have taken.
  const id = await stage.add({ everySeconds: 1, startAtMs, endAtMs: startAtMs + 86_400_000 })
  await db.write('update triggers set next_at = $2, due_at = $2 where id = $1', [id, startAtMs])
  for (let killed = 0; killed < kills; killed++) {
    await sleep(random() * 1_000)
    const index = Math.floor(random() * processes)
    fleet[index]?.kill('SIGKILL')
    fleet[index] = await start()
  }
  await db.write('update triggers set enabled = 0, next_at = null, due_at = null where id = $1', [
    id,
  ])
  // What a process had taken up when it died, another one takes up after 30 seconds.
  const isOpen = async () =>
    (await stage.firings(id)).some(({ status }) => status === 'PENDING' || status === 'QUEUED')
  while (await isOpen()) await sleep(500)
  for (const child of fleet) child.kill('SIGKILL')
  const firings = await stage.firings(id)
  const due = firings.map((_, count) => startAtMs + count * 1_000)
  assert.deepEqual(firings.map((one) => one.scheduled_at).sort(), due)
  assert.ok(firings.every(({ reason, run_id }) => reason === null && run_id !== null))
  assert.equal(new Set(firings.map((one) => one.run_id)).size, firings.length)
  assert.equal(await countRuns(db), firings.length)
  return { kills, firings: firings.length }
}
