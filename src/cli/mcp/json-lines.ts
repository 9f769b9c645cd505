import { once } from 'node:events'
import type { Writable } from 'node:stream'

const newline = 0x0a

/** Yields the lines of a stream. A line longer than `maxBytes` is dropped and yields null. */
export async function* readLines(
  input: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<string | null> {
  let chunks: Uint8Array[] = []
  let bytes = 0
  const add = (chunk: Uint8Array) => {
    bytes += chunk.length
    if (bytes <= maxBytes) chunks.push(chunk)
    else chunks = []
  }
  const finish = () => {
    const line = bytes > maxBytes ? null : Buffer.concat(chunks).toString()
    chunks = []
    bytes = 0
    return line
  }
  for await (const chunk of input) {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      add(chunk.subarray(start, end))
      yield finish()
      start = end + 1
    }
    add(chunk.subarray(start))
  }
  if (bytes > 0) yield finish()
}

/** Writes each value as one line and waits while the output buffer is full. */
export function lineWriter(output: Writable): (value: unknown) => Promise<void> {
  return async (value) => {
    if (!output.write(`${JSON.stringify(value)}\n`) && !output.destroyed) {
      await once(output, 'drain')
    }
  }
}
