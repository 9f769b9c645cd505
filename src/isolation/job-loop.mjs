// @ts-check
import { readSync, writeSync } from 'node:fs'
import { startJobWatch } from './watched-job.mjs'

const newline = 0x0a

/**
 * Reads as many of the bytes that follow the line.
 * @typedef {(count: number) => Buffer} ReadBytes
 */

/**
 * Answers each line of standard input, and the bytes that the job reads after it, with one line of
 * standard output, in order, until the input ends. Reading and writing block, so an answer is
 * written before the next job begins and the parent always knows which job a silent process is
 * working on. For a job that uses more processor time than `limitMs`, the watching thread answers
 * and ends the process. Jobs cannot start threads, unless the program's own code needs them.
 * @param {number} limitMs
 * @param {(line: string, watch: import('./watched-job.mjs').JobWatch, read: ReadBytes) => Promise<string>} answer
 */
export async function serveJobs(limitMs, answer, { startsThreads = false } = {}) {
  const input = openInput()
  const watch = await startJobWatch(limitMs, { onlyThread: !startsThreads })
  say('ready')
  for (;;) {
    const line = input.line()
    if (line === null) return
    watch.begin()
    const reply = await answer(line, watch, input.bytes)
    if (!watch.end()) return
    say(reply)
  }
}

function openInput() {
  const chunk = Buffer.allocUnsafe(64 * 1024)
  let start = 0
  let end = 0
  /** False at the end of the input. */
  const fill = () => {
    start = 0
    end = readSync(0, chunk, 0, chunk.length, null)
    return end > 0
  }
  return {
    /** @returns {string | null} */
    line() {
      /** @type {Buffer[]} */
      const pieces = []
      for (;;) {
        if (start === end && !fill()) return null
        const at = chunk.subarray(0, end).indexOf(newline, start)
        // Copied, because the chunk is read into again.
        pieces.push(Buffer.from(chunk.subarray(start, at === -1 ? end : at)))
        start = at === -1 ? end : at + 1
        if (at !== -1) return Buffer.concat(pieces).toString()
      }
    },
    /** @type {ReadBytes} */
    bytes(count) {
      const wanted = Buffer.allocUnsafe(count)
      let got = chunk.copy(wanted, 0, start, Math.min(end, start + count))
      start += got
      while (got < count) {
        const length = readSync(0, wanted, got, count - got, null)
        if (length === 0) throw new Error('the input ended early')
        got += length
      }
      return wanted
    },
  }
}

/** @param {string} line */
function say(line) {
  const bytes = Buffer.from(`${line}\n`)
  for (let sent = 0; sent < bytes.length; ) sent += writeSync(1, bytes, sent)
}
