// The thread that stops a job which has used up its processor time. The job may be stuck inside
// a regular expression and cannot look at a clock itself; the time on the wall would say more
// about the load of the machine than about the job.
import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { idle, jobCell, overrun, sleepCell, spentCell } from './watched-job.mts'

const { cells, limitMs } = workerData as { cells: Int32Array; limitMs: number }
// Fine enough for limits of a second, and cheap enough to run beside every job.
const lookEveryMs = 20

let watched: number = idle
let startedAtMs = 0

for (;;) {
  Atomics.wait(cells, jobCell, idle)
  const job = Atomics.load(cells, jobCell)
  if (job === idle) continue
  const nowMs = processorMs()
  // A job counts from when it is first seen: never too much, at most one look too little.
  if (job !== watched) startedAtMs = nowMs
  watched = job
  Atomics.store(cells, spentCell, nowMs - startedAtMs)
  if (nowMs - startedAtMs > limitMs) stop(job)
  Atomics.wait(cells, sleepCell, 0, lookEveryMs)
}

/** Takes the answer out of the job's hands; the process ends with it, also if nobody reads on. */
function stop(job: number) {
  if (Atomics.compareExchange(cells, jobCell, job, overrun) !== job) return
  writeSync(1, `{"overrun":"It takes more than ${limitMs} ms of processor time."}\n`)
  process.kill(process.pid, 'SIGKILL')
}

function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return Math.round((user + system) / 1000)
}
