// Measures how long a server takes to become ready, and its memory when nobody uses it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { median, startTarget } from './process.ts'
import type { Effort, Row } from './report.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
// Long enough for what a server does right after its start, such as loading the console's files.
const idleAfterMs = 5_000

/** `cpuMs`: processor time until ready. */
type Start = { ms: number; cpuMs: number; idleMb: number }

export async function benchStart(dataDir: string, effort: Effort): Promise<Row[]> {
  const rounds = { quick: 1, short: 3, full: 7 }[effort]
  const node: Start[] = []
  const npm: Start[] = []
  const empty: Start[] = []
  // The first start is not measured: it creates the database and the cache of compiled code.
  await startAtelier([process.execPath, 'bin/atelier.mjs', 'start'], dataDir)
  for (let round = 0; round < rounds; round++) {
    node.push(await startAtelier([process.execPath, 'bin/atelier.mjs', 'start'], dataDir))
    npm.push(await startAtelier(['npm', 'start'], dataDir))
    empty.push(await startEmpty())
  }
  const [nodeMs, npmMs, emptyMs] = [node, npm, empty].map((all) => median(all.map(({ ms }) => ms)))
  const [nodeCpuMs, npmCpuMs] = [node, npm].map((all) => median(all.map(({ cpuMs }) => cpuMs)))
  const [idleMb, emptyMb] = [node, empty].map((all) => median(all.map((one) => one.idleMb)))
  const limit = `empty Fastify server ${Math.round(emptyMs ?? 0)} ms`
  const startRow = (name: string, ms = 0, cpuMs = 0): Row => ({
    name,
    value: `${Math.round(ms)} ms`,
    limit,
    ratio: ms / (emptyMs ?? ms),
    goal: '< 1000 ms',
    isMet: ms < 1000,
    measures: { ms, 'ms of processor time': cpuMs },
  })
  return [
    startRow('start to ready, `atelier start`', nodeMs, nodeCpuMs),
    startRow('start to ready, `npm start`', npmMs, npmCpuMs),
    {
      name: 'memory of an idle server',
      value: `${Math.round(idleMb ?? 0)} MB`,
      limit: `empty Fastify server ${Math.round(emptyMb ?? 0)} MB`,
      ratio: (idleMb ?? 0) / (emptyMb ?? 1),
      goal: '< 130 MB',
      isMet: (idleMb ?? 0) < 130,
      measures: { MB: idleMb ?? 0 },
    },
  ]
}

async function startAtelier([command = '', ...args]: string[], dataDir: string): Promise<Start> {
  const startedAt = performance.now()
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, DATA_DIR: dataDir, PORT: '0', DRAIN_SECONDS: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('Atelier is ready')) break
  }
  const ms = performance.now() - startedAt
  const cpuMs = processorMs(child.pid ?? 0)
  child.stdout.resume()
  return measured(child, { ms, cpuMs })
}

async function startEmpty(): Promise<Start> {
  const startedAt = performance.now()
  await using target = await startTarget('./targets/empty-fastify.ts')
  const ms = performance.now() - startedAt
  const cpuMs = processorMs(target.pid)
  await delay(idleAfterMs)
  return { ms, cpuMs, idleMb: residentMb(target.pid) }
}

async function measured(child: ChildProcess, start: Pick<Start, 'ms' | 'cpuMs'>): Promise<Start> {
  await delay(idleAfterMs)
  const idleMb = residentMb(child.pid ?? 0)
  const ended = once(child, 'exit')
  // With npm the server is a grandchild, so the signal goes to the whole process group.
  if (child.pid) process.kill(-child.pid, 'SIGTERM')
  await ended
  return { ...start, idleMb }
}

const residentMb = (pid: number): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024

/** Linux counts it in ticks of 10 ms; elsewhere it is not known. */
function processorMs(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(11, 13)
  return (Number(user) + Number(system)) * 10
}
