// Atelier as people run it, from this tree with SQLite, in front of the scripted model. Each model
// reaches the script over another vendor's wire format.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readSqlite } from '../journeys/generation/setting.ts'
import { freePort } from '../support/free-port.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'

export const upstreams = ['chat', 'responses', 'messages', 'gemini'] as const
export type Upstream = (typeof upstreams)[number]

const providers: Record<Upstream, string> = {
  chat: 'local',
  responses: 'openai',
  messages: 'anthropic',
  gemini: 'gemini',
}

export type Atelier = {
  url: string
  key: string
  /** How many calls the ledger has, without those that no provider was asked. */
  calls(): Promise<number>
  restart(): Promise<void>
  stop(): Promise<unknown>
}

export const modelOf = (upstream: Upstream): string => `scripted/${upstream}`

export async function startAtelier(dataDir: string, origin: string): Promise<Atelier> {
  await mkdir(dataDir)
  const env = { ...(await settings(dataDir, origin)), DATA_DIR: dataDir }
  let server: ServerProcess = await startServerProcess(env)
  const key = (await readFile(join(dataDir, 'owner.key'), 'utf8')).trim()
  const ledger = readSqlite(join(dataDir, 'atelier.db'))
  return {
    url: server.url,
    key,
    calls: async () => {
      const [row] = await ledger.query<{ calls: number }>(
        "select count(*) as calls from ledger where outcome <> 'REJECTED'",
        [],
      )
      return row?.calls ?? 0
    },
    restart: async () => {
      await server.stop()
      server = await startServerProcess(env)
    },
    stop: () => server.stop(),
  }
}

/** As built-in models of this vendor declare it. */
const onlyOne = { min: 1, max: 1 }

async function settings(dataDir: string, origin: string): Promise<Record<string, string>> {
  const MODELS_FILE = join(dataDir, 'models.json')
  const models = upstreams.map((upstream) => ({
    id: modelOf(upstream),
    provider: providers[upstream],
    providerModel: 'scripted',
    kind: 'TEXT',
    // No efforts, as with most models of other vendors.
    capabilities: {
      inputModalities: ['text', 'image'],
      maxOutputTokens: 32_000,
      ...(upstream === 'messages' ? { temperature: onlyOne, topP: onlyOne } : {}),
    },
    pricing: { inputPerMillionTokens: 2, outputPerMillionTokens: 8 },
  }))
  const endpoints = [{ name: 'local', baseUrl: `${origin}/v1` }]
  await writeFile(MODELS_FILE, JSON.stringify({ endpoints, models }))
  return {
    MODELS_FILE,
    PORT: String(await freePort()),
    OPENAI_API_KEY: 'scripted',
    OPENAI_BASE_URL: `${origin}/v1`,
    ANTHROPIC_API_KEY: 'scripted',
    ANTHROPIC_BASE_URL: origin,
    GEMINI_API_KEY: 'scripted',
    GEMINI_BASE_URL: origin,
  }
}
