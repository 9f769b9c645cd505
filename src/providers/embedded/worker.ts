// The entry of a worker thread: one job in, one reply out.
import { parentPort } from 'node:worker_threads'
import type { Job } from './plan.ts'
import { produce, UnreadablePicture } from './studio.ts'

export type Reply =
  | { bytes: Uint8Array<ArrayBuffer> }
  | { failure: 'unreadable' | 'broken'; message: string }

parentPort?.on('message', async (job: Job) => {
  try {
    // A copy of its own: the renderer's memory cannot be handed over.
    const bytes = new Uint8Array(await produce(job))
    parentPort?.postMessage({ bytes } satisfies Reply, [bytes.buffer])
  } catch (error) {
    const failure = error instanceof UnreadablePicture ? 'unreadable' : 'broken'
    parentPort?.postMessage({ failure, message: String(error) } satisfies Reply)
  }
})
