// Runs one PostgreSQL server as long as its own standard input stays open: however the process
// that started it ends, the server stops and its folder is removed. Reports each start, with the
// port, as a line on standard output. Commands on standard input: `crash` kills the server without
// warning and starts it again, `stop` stops it in immediate mode, `start` starts it again.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const [folder = '', command = '', uid = '', ...flags] = process.argv.slice(2)
const identity =
  uid === '' ? {} : { uid: Number(uid.split(':')[0]), gid: Number(uid.split(':')[1]) }
const logFile = join(folder, 'server.log')
let server: ChildProcess | undefined
let knownPort: number | undefined

async function start(): Promise<void> {
  const port = knownPort ?? (await freePort())
  const log = openSync(logFile, 'w')
  server = spawn(command, [...flags, '-p', String(port)], {
    ...identity,
    cwd: folder,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const exited = once(server, 'exit')
  while (server.exitCode === null) {
    const text = await readFile(logFile, 'utf8')
    if (text.includes('ready to accept connections')) {
      knownPort = port
      return report(`ready ${port}`)
    }
    await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, 20))])
  }
  const text = await readFile(logFile, 'utf8')
  // Backends of a killed server take a moment to end, and another process may have taken the port.
  const passing = /shared memory block .* still in use|lock file .* already exists|could not bind/
  if (passing.test(text)) return start()
  report(`failed ${JSON.stringify(text.slice(-2_000))}`)
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

const report = (line: string) => void process.stdout.write(`${line}\n`)

async function end(signal: NodeJS.Signals): Promise<void> {
  if (!server || server.exitCode !== null || server.signalCode !== null) return
  const exited = once(server, 'exit')
  server.kill(signal)
  await exited
}

// Signals are ignored, because Ctrl-C reaches the whole group: only the end of the input counts.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.stdout.on('error', () => {})

let work = start()
const lines = createInterface({ input: process.stdin })
lines.on('line', (line) => {
  if (line === 'crash') work = work.then(() => end('SIGKILL')).then(start)
  if (line === 'stop') work = work.then(() => end('SIGQUIT')).then(() => report('stopped'))
  if (line === 'start') work = work.then(start)
})
lines.on('close', async () => {
  await work
  await end(process.platform === 'win32' ? 'SIGTERM' : 'SIGQUIT')
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})
