// The thread that stops a job which has used up its processor time. A job stuck inside a regular
// expression cannot check a clock itself, and wall-clock time would measure the load of the
// machine instead of the job.
// @ts-check
import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { idle, jobCell, overrun, sleepCell, spentCell } from './watched-job.mjs'

/** @type {{ cells: Int32Array<SharedArrayBuffer>, limitMs: number }} */
const { cells, limitMs } = workerData
// Precise enough for a limit of one second, and cheap enough to run beside every job.
const checkEveryMs = 20

/** @type {number} */
let watched = idle
let startedAtMs = 0

for (;;) {
  Atomics.wait(cells, jobCell, idle)
  const job = Atomics.load(cells, jobCell)
  if (job === idle) continue
  const nowMs = processorMs()
  // A job is measured from the first check that sees it, so it is never charged too much, and at
  // most one interval too little.
  if (job !== watched) startedAtMs = nowMs
  watched = job
  Atomics.store(cells, spentCell, nowMs - startedAtMs)
  if (nowMs - startedAtMs > limitMs) stop(job)
  Atomics.wait(cells, sleepCell, 0, checkEveryMs)
}

/**
 * Answers in place of the job, then ends the process, even if nobody reads the answer.
 * @param {number} job
 */
function stop(job) {
  if (Atomics.compareExchange(cells, jobCell, job, overrun) !== job) return
  writeSync(1, `{"overrun":"It takes more than ${limitMs} ms of processor time."}\n`)
  process.kill(process.pid, 'SIGKILL')
}

function processorMs() {
  const { user, system } = process.cpuUsage()
  return Math.round((user + system) / 1000)
}
