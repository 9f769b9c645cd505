import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

test('a client of Anthropic pages through the models, forwards and backwards', async () => {
  const { models } = new Anthropic({ baseURL: server.url, apiKey: server.ownerKey, maxRetries: 0 })
  const all = (await models.list()).data.map(({ id }) => id)
  assert.ok(all.length > 1)
  const paged = await Array.fromAsync(models.list({ limit: 1 }))
  assert.deepEqual(
    paged.map(({ id }) => id),
    all,
  )
  const first = await models.list({ limit: 1 })
  assert.deepEqual([first.data.length, first.has_more, first.last_id], [1, true, all[0]])
  const last = all.at(-1) ?? ''
  const before = await models.list({ limit: 1, before_id: last })
  assert.deepEqual(
    before.data.map(({ id }) => id),
    [all.at(-2)],
  )
  await assert.rejects(models.list({ after_id: 'nobody' }), /after_id names no model/)
  await assert.rejects(models.list({ limit: 0 }), /limit must be from 1 to 1000/)
})

test('a client of Google pages through the models', async () => {
  const httpOptions = { baseUrl: server.url }
  const { models } = new GoogleGenAI({ apiKey: server.ownerKey, httpOptions })
  const namesOf = async (config: object) =>
    (await Array.fromAsync(await models.list({ config }))).map(({ name }) => name)
  const all = await namesOf({})
  assert.ok(all.length > 1)
  const first = await models.list({ config: { pageSize: 1 } })
  assert.deepEqual([first.pageLength, first.hasNextPage()], [1, true])
  assert.deepEqual(await namesOf({ pageSize: 1 }), all)
  await assert.rejects(models.list({ config: { pageToken: 'nobody' } }), /pageToken names no model/)
})
