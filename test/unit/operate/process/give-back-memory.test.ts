import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { test } from 'node:test'

const setUp = `
  import { getHeapSpaceStatistics } from 'node:v8'
  import { giveBackMemoryOnceIdle } from ${JSON.stringify(import.meta.resolve('#operate/process/give-back-memory.ts'))}
  const newSpaceMb = () =>
    getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size / 2 ** 20
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
  const say = (word) => console.log(word, newSpaceMb())
`

/** What the script printed: words, each with the size of the space for new objects. */
async function run(script: string, t: { after(stop: () => void): void }, flags: string[] = []) {
  const args = [...flags, '--input-type=module', '--eval', setUp + script]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => void child.kill())
  const said: { word: string; mb: number }[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    const [word = '', mb] = line.split(/ (?=[\d.]+$)/)
    said.push({ word, mb: Number(mb) })
  }
  return said
}

test('memory that only the start needed is given back, once the server is idle', {
  timeout: 60_000,
}, async (t) => {
  const script = `
    let kept = []
    for (let round = 0; newSpaceMb() < 16; round++) {
      kept.push({ round, text: String(round) })
      if (kept.length > 200_000) kept = []
    }
    kept = []
    const busyUntil = performance.now() + 3_000
    const work = setInterval(() => {
      const until = performance.now() + 20
      while (performance.now() < until);
      if (until < busyUntil) return
      clearInterval(work)
      say('idle')
    }, 40)
    giveBackMemoryOnceIdle()
    setInterval(() => newSpaceMb() < 4 && (say('given back'), process.exit()), 50)
  `
  const said = await run(script, t)
  assert.deepEqual(
    said.map(({ word }) => word),
    ['idle', 'given back'],
  )
  const busyMb = said[0]?.mb ?? 0
  assert.ok(busyMb >= 16, `while it is busy nothing is collected: ${busyMb} MB`)
})

// V8 then looks for a pause at once, instead of after 8 and 30 s.
const impatient = ['--memory-reducer-delay-ms=100', '--gc-memory-reducer-start-delay-ms=100']

test('memory that was given back returns under load, and stays through a pause', {
  timeout: 60_000,
}, async (t) => {
  const script = `
    const inFlight = Array.from({ length: 64 })
    const stored = Array.from({ length: 20_000 })
    // Like chats: much garbage, a little that is in flight, and rows that are stored a little later.
    async function chat(times) {
      for (let n = 0; n < times; n++) {
        inFlight[n % 64] = Array.from({ length: 100 }, (_, i) => ({ n, i }))
        stored[n % stored.length] = { n, text: 'row ' + n }
        if (n % 500 === 0) await wait(0)
      }
    }
    await chat(60_000)
    giveBackMemoryOnceIdle()
    while (newSpaceMb() > 4) await wait(50)
    say('given back')
    await chat(10_000)
    say('under load')
    await wait(2_500)
    say('paused')
    await chat(10_000)
    say('under load again')
    process.exit()
  `
  const [givenBack, ...later] = await run(script, t, impatient)
  assert.ok(givenBack && givenBack.mb < 4)
  const small = later.filter(({ mb }) => mb < 16)
  assert.deepEqual([later.length, small], [3, []], 'collections get frequent below 16 MB')
})

test('queued ticks keep their shape through the collection, so that V8 makes them fast', {
  timeout: 60_000,
}, async (t) => {
  const script = `
    import { executionAsyncResource } from 'node:async_hooks'
    import { held } from ${JSON.stringify(import.meta.resolve('#operate/process/give-back-memory.ts'))}
    const uncollected = new WeakRef({})
    giveBackMemoryOnceIdle()
    do await wait(50)
    while (uncollected.deref())
    process.nextTick(() => {
      say(%HaveSameMap(held.tick, executionAsyncResource()) ? 'same' : 'another')
      process.exit()
    })
  `
  const [shape] = await run(script, t, ['--allow-natives-syntax'])
  assert.equal(shape?.word, 'same')
})
