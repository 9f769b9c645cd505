import { readSync, writeSync } from 'node:fs'
import { type JobWatch, startJobWatch } from './watched-job.mts'

const newline = 0x0a

/**
 * Answers each line of standard input with one line of standard output, in order, until the
 * input ends. Reading and writing block, so an answer is written before the next job begins and
 * the parent always knows which job a silent process is working on. For a job that uses more
 * processor time than `limitMs`, the watching thread answers and ends the process.
 */
export async function serveJobs(
  limitMs: number,
  answer: (line: string, watch: JobWatch) => Promise<string>,
): Promise<void> {
  const chunk = Buffer.allocUnsafe(64 * 1024)
  let pending: Buffer[] = []
  const watch = await startJobWatch(limitMs)
  say('ready')
  for (;;) {
    const length = readSync(0, chunk, 0, chunk.length, null)
    if (length === 0) return
    let start = 0
    for (;;) {
      const end = chunk.subarray(0, length).indexOf(newline, start)
      if (end === -1) break
      pending.push(chunk.subarray(start, end))
      const line = Buffer.concat(pending).toString()
      pending = []
      start = end + 1
      watch.begin()
      const reply = await answer(line, watch)
      if (!watch.end()) return
      say(reply)
    }
    if (start < length) pending.push(Buffer.from(chunk.subarray(start, length)))
  }
}

function say(line: string) {
  const bytes = Buffer.from(`${line}\n`)
  for (let sent = 0; sent < bytes.length; ) sent += writeSync(1, bytes, sent)
}
