import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createIsolatedPool } from '#isolation/isolated-pool.ts'
import { sharedScripts } from '#isolation/isolated-process.ts'

/** Sleeps, works or dies on demand, to simulate a process on a busy machine. */
const helper = `
const { serveJobs } = await import(process.argv[2])
const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
if (process.argv[3] === 'never') sleep(1e9)
await serveJobs(200, async (line, watch, read) => {
  const { sleepMs = 0, isEndless, dies, asksWho, count } = JSON.parse(line)
  if (count) return JSON.stringify({ value: read(count).reduce((sum, byte) => sum + byte) })
  sleep(sleepMs)
  while (isEndless);
  if (dies) process.kill(process.pid, 'SIGKILL')
  return JSON.stringify({ value: asksWho ? process.pid : 'done' })
})
`

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atelier-helper-'))
  await writeFile(join(folder, 'helper.mjs'), helper)
})
after(() => rm(folder, { recursive: true, force: true }))

type Options = Partial<Parameters<typeof createIsolatedPool>[1]>

async function withPool(
  options: Options & { starts?: 'never' },
  use: (pool: ReturnType<typeof createIsolatedPool>) => Promise<void>,
) {
  const { starts = 'soon', ...rest } = options
  const script = join(folder, 'helper.mjs')
  const [jobLoop = ''] = sharedScripts
  const pool = createIsolatedPool(
    { arguments: [script, jobLoop, starts], readable: [script, ...sharedScripts], flags: [] },
    { processes: 1, patienceMs: Number.POSITIVE_INFINITY, ...rest },
  )
  try {
    await use(pool)
  } finally {
    pool.close()
  }
}

const unavailable = { code: 'SERVICE_UNAVAILABLE', status: 503, retryable: true }

test('a job that waits longer than its limit without using processor time is answered', () =>
  withPool({}, async (pool) => {
    assert.deepEqual(await pool.run('a', { sleepMs: 600 }), { value: 'done' })
  }))

test('a job that uses more processor time than its limit is stopped, and other jobs are served', () =>
  withPool({}, async (pool) => {
    const [endless, next] = await Promise.all([
      pool.run('a', { isEndless: true }),
      pool.run('a', {}),
    ])
    assert.deepEqual(endless, { limit: 'It takes more than 200 ms of processor time.' })
    assert.deepEqual(next, { value: 'done' })
  }))

test('jobs one after another share a process, and a job that would have to wait gets another one', () =>
  withPool({ processes: 2 }, async (pool) => {
    const first = await pool.run('a', { asksWho: true })
    assert.deepEqual(await pool.run('a', { asksWho: true }), first)
    const held = assert.rejects(pool.run('a', { sleepMs: 1e9 }), unavailable)
    assert.notDeepEqual(await pool.run('b', { asksWho: true }), first)
    pool.close()
    await held
  }))

test('a process that has not started yet is refused as retryable', () =>
  withPool({ starts: 'never', patienceMs: 300 }, (pool) =>
    assert.rejects(pool.run('a', {}), unavailable),
  ))

test('a caller without a time limit waits as long as it takes', () =>
  withPool({ patienceMs: 1 }, async (pool) => {
    const patience = { patienceMs: Number.POSITIVE_INFINITY }
    assert.deepEqual(await pool.run('a', { sleepMs: 300 }, patience), { value: 'done' })
  }))

test('a process that gets no processor time is refused as retryable, and replaced', () =>
  withPool({ stallMs: 500 }, async (pool) => {
    await assert.rejects(pool.run('a', { sleepMs: 1e9 }), unavailable)
    // On a busy machine the next process may be as late, but a retry is served.
    const again = (): Promise<unknown> => pool.run('a', {}).catch(again)
    assert.deepEqual(await again(), { value: 'done' })
  }))

test('a job whose process is killed from outside is not blamed', () =>
  withPool({}, async (pool) => {
    await assert.rejects(pool.run('a', { dies: true }), unavailable)
    assert.deepEqual(await pool.run('a', {}), { value: 'done' })
  }))

test('bytes that follow a job are read, and the next job begins behind them', () =>
  withPool({}, async (pool) => {
    // More than one read gives, and with bytes that look like the end of a line.
    const bytes = Buffer.alloc(300_000, 10)
    const jobs = [pool.run('a', { count: bytes.length }, { bytes }), pool.run('a', {})]
    assert.deepEqual(await Promise.all(jobs), [{ value: 3_000_000 }, { value: 'done' }])
  }))

test('a process without a job is ended, and the next job gets another', () =>
  withPool({ idleMs: 1 }, async (pool) => {
    const pidOf = async () => {
      const reply = await pool.run('a', { asksWho: true })
      return 'value' in reply ? Number(reply.value) : assert.fail()
    }
    const first = await pidOf()
    const isAlive = () => {
      try {
        return process.kill(first, 0)
      } catch {
        return false
      }
    }
    while (isAlive()) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.notEqual(await pidOf(), first)
  }))
