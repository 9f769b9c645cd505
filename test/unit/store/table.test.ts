import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reader } from '#store/db.ts'
import { bigint, json, lazyJson, orNull, table, text } from '#store/table.ts'

const notes = table({
  id: bigint,
  title: text(),
  tags: json<string[]>(),
  reason: orNull(json<string>()),
  graph: lazyJson<{ nodes: number[] }>(),
})

/** Answers with these rows, and notes what it was asked. */
function answering(rows: object[]) {
  const asked: string[] = []
  const db = {
    query: async (sql: string) => {
      asked.push(sql)
      return rows
    },
  } as unknown as Reader
  return { db, asked }
}

const row = { id: 1, title: 'a', tags: '["x"]', reason: null, graph: '{"nodes":[1]}' }

test('what is selected is named in the order of the declaration, or as asked for', () => {
  assert.equal(notes.all.columns, 'id, title, tags, reason, graph')
  assert.equal(notes.without('graph', 'title').columns, 'id, tags, reason')
  assert.equal(notes.select('tags', 'id').columns, 'tags, id')
  assert.equal(notes.select('tags', 'id').of('n'), 'n.tags, n.id')
  assert.deepEqual(notes.types('id', 'tags'), { id: 'bigint', tags: 'text' })
})

test('JSON comes decoded, null stays null', async () => {
  const { db, asked } = answering([{ ...row }, { ...row, reason: '"why"' }])
  const shown = notes.without('graph')
  const [first, second] = await shown.query(db, `select ${shown.columns} from notes`)
  assert.deepEqual(asked, ['select id, title, tags, reason from notes'])
  assert.deepEqual([first?.tags, first?.reason, second?.reason], [['x'], null, 'why'])
})

test('what may be long is decoded when it is looked at, once, and only then', async () => {
  const { db } = answering([{ ...row }, { ...row, graph: 'no JSON at all' }])
  const [good, bad] = await notes.all.query(db, '')
  assert.equal(good?.graph.text, '{"nodes":[1]}')
  assert.deepEqual(good?.graph.value, { nodes: [1] })
  assert.equal(good?.graph.value, good?.graph.value)
  assert.equal(bad?.graph.text.length, 14)
  assert.throws(() => bad?.graph.value, SyntaxError)
})
