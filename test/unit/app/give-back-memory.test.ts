import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { test } from 'node:test'

const script = `
  import { getHeapSpaceStatistics } from 'node:v8'
  import { giveBackMemoryOnceIdle } from ${JSON.stringify(import.meta.resolve('#app/give-back-memory.ts'))}
  const newSpaceMb = () =>
    getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size / 2 ** 20
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
    console.log('idle', newSpaceMb())
  }, 40)
  giveBackMemoryOnceIdle()
  setInterval(() => newSpaceMb() < 4 && (console.log('given back', newSpaceMb()), process.exit()), 50)
`

test('memory that only the start needed is given back, once the server is idle', {
  timeout: 60_000,
}, async (t) => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => void child.kill())
  const said: string[] = []
  for await (const line of createInterface({ input: child.stdout })) said.push(line)
  const [[first, busyMb] = [], [last] = []] = said.map((line) => line.split(/ (?=\d)/))
  assert.deepEqual([first, last], ['idle', 'given back'])
  assert.ok(Number(busyMb) >= 16, `while it is busy nothing is collected: ${busyMb} MB`)
})
