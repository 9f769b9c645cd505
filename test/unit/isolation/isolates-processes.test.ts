import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sharedScripts, startIsolated } from '#isolation/isolated-process.ts'

const probe = `
const { serveJobs } = await import(process.argv[3])
const tries = {
  readFile: async () => (await import('node:fs')).readFileSync('/etc/passwd'),
  listFolder: async () => (await import('node:fs')).readdirSync(process.cwd()),
  writeFile: async () => (await import('node:fs')).writeFileSync(process.argv[2], 'x'),
  child: async () => (await import('node:child_process')).execFileSync(process.execPath, ['-v']),
  connect: async () => {
    const { connect } = await import('node:net')
    await new Promise((resolve, reject) => connect(9, '127.0.0.1').on('connect', resolve).on('error', reject))
  },
  listen: async () => {
    const { createServer } = await import('node:net')
    await new Promise((resolve, reject) => createServer().on('error', reject).listen(0, resolve))
  },
  datagram: async () => {
    const socket = (await import('node:dgram')).createSocket('udp4')
    await new Promise((resolve, reject) => socket.on('error', reject).send('x', 9, '127.0.0.1', (e) => e ? reject(e) : resolve()))
  },
  resolveName: async () => (await import('node:dns/promises')).lookup('localhost'),
  worker: async () => new (await import('node:worker_threads')).Worker('1', { eval: true }),
  compileText: async () => new Function('return 1')(),
  changePrototype: async () => { 'use strict'; Array.prototype.map = null },
}
await serveJobs(10_000, async () => {
  const answers = { environment: Object.keys(process.env).sort() }
  for (const [name, attempt] of Object.entries(tries)) {
    try { await attempt(); answers[name] = 'allowed' }
    catch (error) { answers[name] = error.code === 'ERR_ACCESS_DENIED' ? 'denied' : 'failed: ' + error.message }
  }
  return JSON.stringify(answers)
})
`

test('a job in an isolated process has no files, network, children, workers, environment or code from text', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-probe-'))
  try {
    const script = join(folder, 'probe.mjs')
    await writeFile(script, probe)
    const line = await new Promise<string>((resolve, reject) => {
      const [jobLoop = ''] = sharedScripts
      const isolated = startIsolated(
        {
          arguments: [script, join(folder, 'written'), jobLoop],
          readable: [script, ...sharedScripts],
          flags: ['--disallow-code-generation-from-strings'],
        },
        {
          line(said) {
            if (said === 'ready') return isolated.send('go\n')
            resolve(said)
            isolated.kill()
          },
          end: () => reject(new Error('the process ended')),
        },
      )
      isolated.setBusy(true)
    })
    const { environment, compileText, changePrototype, ...denied } = JSON.parse(line)
    assert.deepEqual(environment, ['TZ'])
    assert.match(compileText, /Code generation from strings disallowed/)
    assert.match(changePrototype, /read only|not writable|Cannot assign/)
    for (const [name, outcome] of Object.entries(denied)) assert.equal(outcome, 'denied', name)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
