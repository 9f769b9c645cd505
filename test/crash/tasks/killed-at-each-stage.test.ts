import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { eventually } from '../../journeys/generation/setting.ts'
import { databases } from '../../support/databases.ts'
import { png } from '../../support/provider-doubles/media.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import {
  type Audit,
  allEnded,
  attemptsIn,
  audit,
  jobsByPrompt,
  openWorld,
  type ProviderName,
  providers,
  submit,
  tasksIn,
  type World,
} from './setting.ts'

/** Takes one task of a provider to the stage, and leaves it there. */
type Stage = { name: string; has: readonly ProviderName[]; reach: Reach }
type Reach = (
  world: World,
  server: ServerProcess,
  name: ProviderName,
  prompt: string,
) => Promise<void>

const polled = ['fal', 'replicate', 'gemini'] as const

const held =
  (route: 'submit' | 'poll' | 'file'): Reach =>
  async ({ doubles }, server, name, prompt) => {
    const double = doubles[name]
    const { counts } = await double.state()
    await double.script(route, { do: 'hold' })
    assert.ok(await submit(server, name, prompt))
    await double.arrived(route, counts[route] + 1)
  }

/** Answers the first who asks never, and all others at once. */
async function startPictures() {
  const asked = Promise.withResolvers<void>()
  let count = 0
  const server = createServer((_, response) => {
    if (++count > 1) response.end(png)
    asked.resolve()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/in.png`,
    asked: asked.promise,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

const stages: Stage[] = [
  {
    name: 'after it was done',
    has: providers,
    async reach(world, server, name, prompt) {
      assert.ok(await submit(server, name, prompt))
      await allEnded(world)
    },
  },
  {
    name: 'before its submission left',
    has: ['fal'],
    async reach(_, server, name, prompt) {
      const pictures = await startPictures()
      after(pictures.close)
      const model = 'fal/nano-banana-2'
      assert.ok(await submit(server, name, prompt, { model, picture: pictures.url }))
      await pictures.asked
    },
  },
  { name: 'while its submission was answered', has: providers, reach: held('submit') },
  { name: 'while it was polled', has: polled, reach: held('poll') },
  { name: 'while its result was fetched', has: polled, reach: held('file') },
]

describe('a server killed while it draws by itself', () => {
  test('draws again: there is no one to pay twice', async () => {
    await using world = await openWorld('sqlite')
    const first = await world.start({ EMBEDDED_OPTIONS: 'delayMs=600000' })
    assert.ok(await submit(first, 'openai', 'task drawn', { model: 'demo-image' }))
    await eventually(
      () => world.db.query<{ stage: string }>('select stage from tasks'),
      ([task]) => task?.stage === 'SUBMITTING',
    )
    await first.kill()
    await world.start()
    await allEnded(world)
    const [task] = await tasksIn(world)
    assert.equal(task?.status, 'COMPLETED', task?.error ?? '')
    const outcomes = (await attemptsIn(world)).map(({ outcome }) => outcome)
    assert.deepEqual(outcomes, ['REJECTED', 'SUCCEEDED'])
  })
})

for (const { name: database } of databases) {
  describe(`a worker killed on ${database}`, () => {
    let world: World
    let summary: Audit
    const status = new Map<string, string>()
    const promptOf = (stage: Stage, name: ProviderName) => `task ${name} ${stage.name}`

    before(async () => {
      world = await openWorld(database, { OUTBOUND_ALLOW: '127.0.0.1/32' })
      for (const double of Object.values(world.doubles)) await double.plan('succeeded')
      // On PostgreSQL the request side stays, and another worker takes over.
      const isSplit = database === 'postgres'
      const first = await world.start(isSplit ? { ROLE: 'api' } : {})
      const victim = isSplit ? await world.start({ ROLE: 'worker' }) : first
      for (const stage of stages) {
        for (const name of stage.has) {
          await stage.reach(world, first, name, promptOf(stage, name))
        }
      }
      const heir = isSplit ? world.start({ ROLE: 'worker' }) : undefined
      await victim.kill()
      await heir
      const server = isSplit ? first : await world.start()
      await allEnded(world)
      summary = await audit(world, server)
      for (const task of await tasksIn(world)) status.set(task.prompt_preview, task.status)
    })
    after(() => world[Symbol.asyncDispose]())

    for (const stage of stages) {
      test(`${stage.name} leaves a task that is finished, and no second job`, async () => {
        const jobs = await jobsByPrompt(world)
        for (const name of stage.has) {
          const prompt = promptOf(stage, name)
          assert.equal(jobs.get(prompt)?.length, 1, prompt)
          // Only Replicate can be asked what became of a submission.
          const isLost = stage.name.includes('was answered') && name !== 'replicate'
          assert.equal(status.get(prompt), isLost ? 'FAILED' : 'COMPLETED', prompt)
        }
      })
    }

    test('leaves a ledger that agrees with the providers', () => {
      assert.deepEqual([summary.tasks, summary.jobs], [15, 15])
      assert.deepEqual(summary.attempts, { SUCCEEDED: 12, UNKNOWN: 3 })
    })
  })
}
