// @ts-check
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

// Cells of the memory shared by the thread that runs the job and the thread that watches it.
export const jobCell = 0
export const spentCell = 1
/** Never written. Waiting for it to change, with a timeout, is a sleep. */
export const sleepCell = 2

// Values of the job cell besides the number of a job.
export const idle = 0
export const overrun = -1

const lastNumber = 0x7fffffff

/**
 * `end`: false if the job was stopped: it has been answered, and the process is about to end.
 * `spentMs`: processor time the current job has used, in milliseconds.
 * @typedef {{ begin(): void, end(): boolean, spentMs(): number }} JobWatch
 */

/**
 * Starts the watching thread. `onlyThread`: nothing later may start another.
 * @param {number} limitMs
 * @param {{ onlyThread: boolean }} options
 * @returns {Promise<JobWatch>}
 */
export async function startJobWatch(limitMs, { onlyThread }) {
  const cells = new Int32Array(new SharedArrayBuffer(12))
  const watcher = new Worker(new URL('./cpu-watch.mjs', import.meta.url), {
    workerData: { cells, limitMs },
  })
  await once(watcher, 'online')
  watcher.unref()
  if (onlyThread) process.permission.drop('worker')
  let number = 0
  return {
    begin() {
      number = number === lastNumber ? 1 : number + 1
      Atomics.store(cells, spentCell, 0)
      Atomics.store(cells, jobCell, number)
      Atomics.notify(cells, jobCell)
    },
    end: () => Atomics.compareExchange(cells, jobCell, number, idle) === number,
    spentMs: () => Atomics.load(cells, spentCell),
  }
}
