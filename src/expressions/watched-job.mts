import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

// Memory shared by the thread that works and the one that watches it.
export const jobCell = 0
export const spentCell = 1
/** Never written: waiting for it to change is a sleep. */
export const sleepCell = 2

// Values of the job cell besides the number of a job.
export const idle = 0
export const overrun = -1

const lastNumber = 0x7fffffff

export type JobWatch = {
  begin(): void
  /** False if the job was stopped: its answer has been given, and the process is about to end. */
  end(): boolean
  /** Processor time the present job has used, in milliseconds. */
  spentMs(): number
}

/** Starts the watching thread. Afterwards this process can start no other. */
export async function startJobWatch(limitMs: number): Promise<JobWatch> {
  const cells = new Int32Array(new SharedArrayBuffer(12))
  const watcher = new Worker(new URL('./cpu-watch.mts', import.meta.url), {
    workerData: { cells, limitMs },
  })
  await once(watcher, 'online')
  watcher.unref()
  process.permission.drop('worker')
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
