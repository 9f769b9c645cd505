// `npm run test:clients`: installs the real clients and takes each through a job with Atelier in
// front of a scripted model, then the clients of MCP and its conformance suite through theirs, then
// puts real servers (llama.cpp, LiteLLM) behind it.
// `npm run test:clients -- codex mcp` chooses, `-- --record` writes what they send to
// test/fixtures/agents instead. ATELIER_CLIENTS_DIR keeps the installed clients;
// ATELIER_CLIENTS_STREAM_SECONDS is how long the long stream lasts (15; 600 for the full proof).
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Agent } from './agents/agent.ts'
import { agents } from './agents/all.ts'
import { type Atelier, modelOf, startAtelier, upstreams } from './atelier.ts'
import { type Installed, install } from './install.ts'
import { proveMcp } from './mcp.ts'
import { continueJob, doJob, streamLong, useManyTools } from './parts.ts'
import { record } from './record.ts'
import { type ScriptedServer, startScripted } from './scripted/server.ts'
import { proveServers } from './servers/prove-servers.ts'
import { openSession, type Place, type Session } from './session.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    record: { type: 'boolean', default: false },
    part: { type: 'string', multiple: true, default: ['job', 'tools', 'stream'] },
  },
})
const wants = (part: string) => values.part.includes(part)
const seconds = Number(process.env.ATELIER_CLIENTS_STREAM_SECONDS ?? 15)
const chosen = agents.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
const root = await mkdtemp(join(tmpdir(), 'atelier-clients-'))
const clients = process.env.ATELIER_CLIENTS_DIR ?? join(root, 'clients')
await mkdir(clients, { recursive: true })
const say = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`)

// Agents are in groups of their own, which end with this process.
process.once('SIGINT', () => process.exit(130))

/** One row of the table: the version, then what came of each part. */
type Row = { agent: Agent; version: string; parts: Map<string, string> }
let failures = 0

try {
  const ready: { agent: Agent; installed: Installed }[] = []
  for (const agent of chosen) {
    try {
      const installed = await install(agent, clients)
      say(`${agent.name} ${installed.version} is installed`)
      ready.push({ agent, installed })
    } catch (error) {
      // Its package may not be for this machine. Only if none can be installed, nothing is proven.
      say(`${agent.name} is left out, because it cannot be installed: ${error}`)
    }
  }
  if (chosen.length > 0 && ready.length === 0) failures++
  if (values.record) {
    for (const { agent, installed } of ready) {
      say(`${agent.name}: ${await record(agent, installed, join(root, agent.name))} recordings`)
    }
  } else {
    if (ready.length > 0) await prove(ready)
    const wantsPart = (name: string) => positionals.length === 0 || positionals.includes(name)
    if (wantsPart('mcp')) failures += await proveMcp(say)
    if (wantsPart('servers')) {
      const folders = { judges: join(clients, 'servers'), data: join(root, 'behind') }
      failures += await proveServers(folders, say)
    }
  }
} finally {
  await rm(root, { recursive: true, force: true })
}
process.exitCode = failures === 0 ? 0 : 1

async function prove(ready: { agent: Agent; installed: Installed }[]): Promise<void> {
  await using scripted = await startScripted()
  const atelier = await startAtelier(join(root, 'atelier'), scripted.origin)
  try {
    const rows: Row[] = []
    for (const { agent, installed } of ready) {
      const row: Row = { agent, version: installed.version, parts: new Map() }
      rows.push(row)
      await proveParts(row, installed, atelier)
    }
    if (wants('stream')) await proveStreams(rows, ready, atelier)
    await compareCounts(atelier, scripted)
    console.log(tableOf(rows))
  } finally {
    await atelier.stop()
  }
}

/** Clients wait for tokens most of the time, so long streams run side by side. */
async function proveStreams(
  rows: Row[],
  ready: { agent: Agent; installed: Installed }[],
  atelier: Atelier,
): Promise<void> {
  const isLong = seconds >= 60
  const streams: Promise<void>[] = []
  for (const [index, { agent, installed }] of ready.entries()) {
    const stream = attempt(rows[index], `stream of ${seconds} s`, async () => {
      const place = { ...placeOf(atelier, `long-${agent.name}`), seconds }
      await streamLong(await openSession(agent, installed, place), seconds)
    })
    streams.push(stream)
    // One start after the other is easier for the machine.
    await (isLong ? delay(5000) : stream)
  }
  await Promise.all(streams)
}

function placeOf({ url, key }: Atelier, name: string, model = modelOf('chat')): Place {
  return { url, key, model, root: join(root, name) }
}

async function proveParts(row: Row, installed: Installed, atelier: Atelier): Promise<void> {
  const { agent } = row
  if (wants('job')) await proveJob(row, installed, atelier)
  if (!wants('tools')) return
  const none = agent.cannot?.tools
  if (none !== undefined) return void row.parts.set('150 tools', none)
  await attempt(row, '150 tools', async () => {
    const place = { ...placeOf(atelier, `${agent.name}-tools`), hasManyTools: true }
    await useManyTools(agent, await openSession(agent, installed, place))
  })
}

async function proveJob(row: Row, installed: Installed, atelier: Atelier): Promise<void> {
  const { agent } = row
  let session: Session | undefined
  const models = [...upstreams.map(modelOf), ...(agent.ownModels ?? [])]
  for (const model of models) {
    await attempt(row, `job on ${model}`, async () => {
      const place = placeOf(atelier, `${agent.name}-${model.replaceAll('/', '-')}`, model)
      const opened = await openSession(agent, installed, place)
      await doJob(agent, opened)
      session ??= opened
    })
  }
  const begun = session
  if (!begun) return
  await attempt(row, 'restart', async () => {
    await atelier.restart()
    await continueJob(agent, begun)
  })
}

async function attempt(row: Row | undefined, part: string, work: () => Promise<void>) {
  const name = `${row?.agent.name}: ${part}`
  try {
    await work()
    const lacks = part.startsWith('job') ? row?.agent.cannot?.picture : undefined
    row?.parts.set(part, lacks ? `yes, but ${lacks}` : 'yes')
    say(`✔ ${name}`)
  } catch (error) {
    failures++
    row?.parts.set(part, 'NO')
    say(`✖ ${name}\n${error instanceof Error ? error.message : error}`)
  }
}

/** Every call has a row in the ledger, and every answer of the model was somebody's call. */
async function compareCounts(atelier: Atelier, { answered }: ScriptedServer): Promise<void> {
  const calls = await atelier.calls()
  say(`${answered} answers of the scripted model, ${calls} calls in the ledger`)
  if (calls !== answered) failures++
}

function tableOf(rows: Row[]): string {
  const parts = [...new Set(rows.flatMap((row) => [...row.parts.keys()]))]
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [
    line(['Client', 'Version', ...parts]),
    line(['---', '---', ...parts.map(() => '---')]),
    ...rows.map(({ agent, version, parts: done }) =>
      line([agent.name, version, ...parts.map((part) => done.get(part) ?? 'not tried')]),
    ),
  ].join('\n')
}
