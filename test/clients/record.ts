// Writes what an agent sends to test/fixtures/agents, shortened. The agent talks to the scripted
// model itself, so that nothing of Atelier decides what it sends.
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Agent, Setting, Variant } from './agents/agent.ts'
import type { Installed } from './install.ts'
import { prompts } from './parts.ts'
import { type Request, startScripted } from './scripted/server.ts'
import { openSession } from './session.ts'
import { shapesOf, shorten } from './shorten.ts'

export type Recording = {
  client: string
  version: string
  /** The day of the recording. */
  date: string
  method: string
  path: string
  headers: Record<string, string>
  body: unknown
}

export const recordings = fileURLToPath(new URL('../fixtures/agents', import.meta.url))

/** Resolves with the number of files. */
export async function record(agent: Agent, installed: Installed, root: string): Promise<number> {
  const requests: Request[] = []
  for (const variant of [{ model: 'scripted-model' }, ...(agent.variants ?? [])]) {
    const folder = join(root, String(requests.length))
    requests.push(...(await converse(agent, installed, folder, variant)))
  }
  const folder = join(recordings, agent.name)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const kept = distinct(requests.map((request) => recordingOf(request, agent, installed, root)))
  for (const [index, recording] of kept.entries()) {
    const file = join(folder, `${String(index + 1).padStart(2, '0')}.json`)
    await writeFile(file, `${JSON.stringify(recording, null, 1)}\n`)
  }
  return kept.length
}

async function converse(
  agent: Agent,
  installed: Installed,
  root: string,
  { model, env = {}, hasManyTools = false, readsPdf }: Variant,
): Promise<Request[]> {
  await using scripted = await startScripted()
  const place = { url: scripted.origin, key: 'sk-recorded', model, root, hasManyTools }
  const settings = { ...agent, env: (setting: Setting) => ({ ...agent.env(setting), ...env }) }
  const session = await openSession(settings, installed, place)
  if (hasManyTools) await session.ask(prompts.tools)
  else await session.ask(agent.editsInText ? prompts.edit : prompts.job(session.folder))
  if (readsPdf) await session.ask(prompts.pdf(session.folder))
  await session.ask(prompts.again)
  return scripted.requests.filter(({ method }) => method === 'POST')
}

function recordingOf(
  { method, path, headers, body }: Request,
  agent: Agent,
  { version }: Installed,
  root: string,
): Recording {
  const date = new Date().toISOString().slice(0, 10)
  const kept = Object.entries(headers).filter(([name]) => !leftOut.has(name))
  const words = kept.map(([name, value]) => [name, String(value)])
  const short = shorten({ headers: Object.fromEntries(words), body }, root)
  return { client: agent.name, version, date, method, path, ...short }
}

/** Secrets, and what says something of the connection or the machine only. */
const leftOut = new Set([
  ...['authorization', 'x-api-key', 'x-goog-api-key', 'host', 'connection', 'content-length'],
  ...['x-stainless-os', 'x-stainless-arch', 'x-stainless-runtime-version'],
])

/** From the last, which have the longest history: each that has a shape which none before had. */
function distinct(all: Recording[]): Recording[] {
  const seen = new Set<string>()
  const kept = all.toReversed().filter((recording) => {
    const { length } = [...shapesOf(recording)].filter(
      (shape) => !seen.has(shape) && seen.add(shape),
    )
    return length > 0
  })
  return kept.toReversed()
}
