import { reasonOf } from '../doctor/finding.ts'
import { MachineRefused } from './machine-access.ts'

/** LiteLLM's list of prices, the longest that is read here, has 2 MB. */
const maxBytes = 32 * 2 ** 20
const timeoutMs = 30_000

export type Asked = { headers?: Record<string, string>; body?: object; signal: AbortSignal }

/** The text that an address answers; null if it answers no success. */
export async function fetchText(url: string, asked: Asked): Promise<string | null> {
  const { headers, body, signal } = asked
  try {
    const answer = await fetch(url, {
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
      // Following a redirect could send the key to another host.
      redirect: headers?.authorization ? 'manual' : 'follow',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    if (answer.ok) return await textOf(answer)
    await answer.body?.cancel()
    return null
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof MachineRefused) throw error
    throw new MachineRefused(`${new URL(url).host} cannot be reached: ${reasonOf(error)}`)
  }
}

async function textOf(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > maxBytes)
      throw new MachineRefused(`${answer.url} sends more than ${maxBytes / 2 ** 20} MiB.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Null if it is no JSON either. */
export async function fetchJson(url: string, asked: Asked): Promise<unknown> {
  const text = await fetchText(url, asked)
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
