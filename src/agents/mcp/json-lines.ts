import { once } from 'node:events'
import type { Writable } from 'node:stream'

const newline = 0x0a

/** The lines of a stream; null stands for one that is longer than taken, which is dropped. */
export async function* readLines(
  input: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<string | null> {
  let parts: Uint8Array[] = []
  let bytes = 0
  const take = (part: Uint8Array) => {
    bytes += part.length
    if (bytes <= maxBytes) parts.push(part)
    else parts = []
  }
  const finish = () => {
    const line = bytes > maxBytes ? null : Buffer.concat(parts).toString()
    parts = []
    bytes = 0
    return line
  }
  for await (const chunk of input) {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      take(chunk.subarray(start, end))
      yield finish()
      start = end + 1
    }
    take(chunk.subarray(start))
  }
  if (bytes > 0) yield finish()
}

/** Writes each value as one line, and waits where the reader is slower. */
export function lineWriter(output: Writable): (value: unknown) => Promise<void> {
  return async (value) => {
    if (!output.write(`${JSON.stringify(value)}\n`) && !output.destroyed) {
      await once(output, 'drain')
    }
  }
}
