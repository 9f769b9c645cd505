import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { operations } from '#api/public/registry.ts'
import { createDatabase, databases } from '../../support/databases.ts'
import { startPostgres } from '../../support/postgres-server.ts'
import { rounds } from '../../support/rounds.ts'
import { P, startServer, type TestServer } from '../../support/server.ts'
import { smallFilm } from '../../support/small-media.ts'

const words = [
  'model',
  'messages',
  'role',
  'content',
  'user',
  'demo-text',
  'demo-image',
  'name',
  'data',
  'nodes',
  'connections',
  'id',
  'type',
  'source',
  'target',
  'input.text',
  'text.template',
  'template',
  '{{a}}',
  'inputs',
  'callbackUrl',
  'metadata',
  'reason',
  'canvasScale',
  'videoSeconds',
  '\0',
  '\ud800',
  '../..',
  '%00',
  'a'.repeat(3000),
]

const leaf = fc.oneof(
  fc.constantFrom(...words),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
)
const hostile = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    leaf,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.constantFrom(...words), tie('value'), { maxKeys: 6 }),
  ),
})).value

/** An almost valid body gets further than random data. */
const nearly: Record<string, Record<string, unknown>> = {
  createChatCompletion: { model: 'demo-text', messages: [{ role: 'user', content: 'hi' }] },
  generateImage: { model: 'demo-image', messages: [{ role: 'user', content: 'hi' }] },
  generateVideo: {
    ...{ model: 'demo-video', messages: [{ role: 'user', content: 'hi' }] },
    ...smallFilm,
  },
  createWorkflow: { name: 'w', data: { nodes: [], connections: [] } },
  updateWorkflow: { name: 'w', data: { nodes: [], connections: [] } },
  validateWorkflow: { data: { nodes: [], connections: [] } },
}

const asked = operations.filter((operation) => operation.scope !== 'public')

async function attack(server: TestServer, numRuns: number) {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...asked),
      hostile,
      fc.constantFrom(...words),
      fc.constantFrom('1', '7', '00000000-0000-7000-8000-000000000000', '%00', 'x'),
      fc.boolean(),
      async (operation, value, member, id, isNearly) => {
        const body = isNearly ? { ...nearly[operation.id], [member]: value } : value
        const answer = await server.call({
          method: operation.method,
          path:
            P +
            operation.path.replace(/\{\w+\}/, id) +
            (operation.query ? `?page=${encodeURIComponent(member.toWellFormed())}` : ''),
          headers: { 'idempotency-key': 'k', 'if-match': '"v1"' },
          ...(operation.body ? { json: body ?? null } : {}),
        })
        assert.ok(
          answer.status < 500,
          `${operation.id} ${JSON.stringify(body)?.slice(0, 500)}: ${answer.text}`,
        )
      },
    ),
    { numRuns },
  )
}

for (const { name } of databases) {
  test(`nothing a client sends makes the server fail, on ${name}`, async (t) => {
    const env: Record<string, string> = {
      MAX_TASKS_IN_FLIGHT: '1',
      TASK_QUEUE_TIMEOUT_SECONDS: '1',
    }
    if (name === 'postgres') {
      const own = process.env.ATELIER_TEST_POSTGRES ? null : await startPostgres({ fsync: 'off' })
      const { url, drop } = await createDatabase(
        own?.url ?? process.env.ATELIER_TEST_POSTGRES ?? '',
      )
      t.after(async () => {
        await drop()
        await own?.stop()
      })
      env.DATABASE_URL = url
    }
    const server = await startServer(env)
    try {
      await attack(server, rounds(400))
    } finally {
      await server.stop()
    }
  })
}
