// What the adapters of batches share.
import type { Call, Endpoint } from './http-call.ts'
import { parseJson } from './json-shape.ts'
import { type BatchResult, ProviderError, type TextResult } from './provider.ts'
import { protocolError } from './refusal.ts'
import type { Answer } from './upstream.ts'

/** Vendors' clocks differ from ours. */
export const clockMarginMs = 10 * 60_000

const newline = 10

/** The lines of a JSONL answer, parsed. */
export async function* readLines(
  endpoint: Endpoint,
  call: Call,
  refusal: (answer: Answer) => ProviderError,
): AsyncGenerator<unknown, void, undefined> {
  const answer = await endpoint.bytes(call)
  if (!answer.chunks)
    throw answer.status === 200 ? protocolError(endpoint, answer, 'no lines') : refusal(answer)
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of answer.chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      const line = rest.subarray(0, end)
      rest = rest.subarray(end + 1)
      if (line.length > 1) yield parseJson(line)
    }
  }
  if (rest.length > 1) yield parseJson(rest)
}

/** Reads the answer to one call as if it had been made alone. */
export function readResult(id: string, read: () => TextResult): BatchResult {
  try {
    return { id, result: read() }
  } catch (error) {
    if (error instanceof ProviderError) return { id, error }
    throw error
  }
}
