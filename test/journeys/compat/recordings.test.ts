// What agents really send, as `npm run test:clients -- --record` wrote it down. A field that a new
// version adds is met by a decision in the tables of src/compat, and not by a 400 on somebody's desk.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Recording } from '../../clients/record.ts'
import { type Item, remembered, type Seen } from '../../clients/scripted/script.ts'
import { type Request, readAny, startScripted } from '../../clients/scripted/server.ts'
import { openBench } from '../generation/setting.ts'

const folder = new URL('../../fixtures/agents/', import.meta.url).pathname
const recordings = globSync('*/*.json', { cwd: folder })
  .sort()
  .map((file) => ({ file, ...(JSON.parse(readFileSync(folder + file, 'utf8')) as Recording) }))

/** The least that a model can have, and the most. */
const abilities = {
  plain: { structuredOutput: true },
  able: {
    inputModalities: ['text', 'image'],
    documents: true,
    structuredOutput: true,
    reasoningEfforts: ['low', 'medium', 'high'],
  },
}
const models = Object.entries(abilities).map(([name, capabilities]) => ({
  id: `test/${name}`,
  provider: 'local',
  providerModel: 'scripted',
  kind: 'TEXT',
  capabilities,
}))

/** What refers to an earlier answer is known only to the server that gave it. */
const refersBack = ({ body }: Recording): boolean =>
  /"(item_reference|previous_response_id|thread)"/.test(JSON.stringify(body))

test('requests of real agents are understood, and no part of a conversation is lost', async (t) => {
  await using upstream = await startScripted()
  const env = { OPENAI_API_KEY: 'scripted', OPENAI_BASE_URL: `${upstream.origin}/v1` }
  const bench = await openBench(t, { models: { models }, env })
  for (const recording of recordings) {
    const { file, method, headers } = recording
    for (const { id } of models) {
      await t.test(`${file} with ${id}`, async () => {
        const { path, body } = addressed(recording, id)
        upstream.requests.length = 0
        const answer = await bench.call({ method, path, headers, json: body })
        const sent = readAny(path, body)
        if (refersBack(recording)) return assertRefused(answer, /not found|thread/)
        const isBlind = id === 'test/plain'
        if (isBlind && sent?.items.some(isShownByUser)) return assertRefused(answer, /image/)
        assert.equal(answer.status, 200, answer.text)
        assert.doesNotMatch(answer.text, /"error":\s*\{|event: error/)
        const [received] = upstream.requests
        // A count of tokens asks no model.
        assert.equal(received === undefined, sent === undefined)
        if (sent && received) assertWhole(sent, received, isBlind)
      })
    }
  }
})

/** The recording, sent to one of our models. */
function addressed({ path, body }: Recording, model: string) {
  const named = path.replace(/\/models\/[^:]+:/, `/models/${encodeURIComponent(model)}:`)
  const isNamedInBody = body !== null && typeof body === 'object' && 'model' in body
  return { path: named, body: isNamedInBody ? { ...body, model } : body }
}

/**
 * A picture that no tool returned: a model that cannot see it has to say so. Some agents put what a
 * tool returned into a message of the user right after the result.
 */
const isShownByUser = (item: Item, index: number, items: Item[]): boolean =>
  item.is === 'picture' &&
  items.slice(0, index).findLast(({ is }) => is !== 'picture' && is !== 'user')?.is !== 'result'

function assertRefused({ status, text }: { status: number; text: string }, why: RegExp): void {
  assert.ok(status === 400 || status === 404, text)
  assert.match(text, why)
}

/** Calls, results and pictures have all arrived; words stand for pictures that cannot be seen. */
function assertWhole(sent: Seen, received: Request, isBlind: boolean): void {
  const seen = readAny(received.path, received.body)
  assert.ok(seen)
  const items = isBlind ? sent.items.filter(({ is }) => is !== 'picture') : sent.items
  // Tools that a vendor runs itself are left out, so they are not compared.
  assert.equal(remembered({ ...seen, tools: [] }), remembered({ ...sent, items, tools: [] }))
}
