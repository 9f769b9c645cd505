import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createMediaRefresher } from '#engine/runs/refresh-media.ts'

const record = (id: string) => ({
  ...{ id, accountId: 'a', hash: 'h', createdAtMs: 1 },
  ...{ mimeType: 'image/png', sizeBytes: 1 },
})

/** Media of this server are at `own:`, and the account has those whose names begin with "mine". */
function setting() {
  const asked: string[][] = []
  const refresh = createMediaRefresher({
    recognise: (url) => (url.startsWith('own:') ? { id: url.slice(4), isGranted: false } : null),
    async findOwn(_, ids) {
      asked.push([...ids])
      return ids.filter((id) => id.startsWith('mine')).map(record)
    },
    publicMedia: ({ id }) => ({ url: `new:${id}`, mimeType: 'image/png', sizeBytes: 1 }),
  })
  return { asked, refresh: (value: unknown) => refresh('a', value) }
}

const media = (url: string) => ({ url, mimeType: 'image/png' })

describe('new addresses for the media in a value', () => {
  test('are given to those of the account, wherever they are, with one look-up for all', async () => {
    const { asked, refresh } = setting()
    const value = {
      first: media('own:mine1'),
      list: [1, [media('own:mine1'), media('own:mine2'), media('own:theirs')]],
      foreign: { ...media('http://elsewhere.test/x.png'), small: media('own:mine3') },
    }
    assert.deepEqual(await refresh(value), {
      first: media('new:mine1'),
      list: [1, [media('new:mine1'), media('new:mine2'), media('own:theirs')]],
      foreign: { ...media('http://elsewhere.test/x.png'), small: media('new:mine3') },
    })
    assert.deepEqual(asked, [['mine1', 'mine2', 'theirs', 'mine3']])
  })

  test('copy nothing that holds no media', async () => {
    const { asked, refresh } = setting()
    const many = Array.from({ length: 100_000 }, () => ({}))
    assert.equal(await refresh(many), many)
    assert.deepEqual(asked, [])
    const value = { many, foreign: media('http://elsewhere.test/x.png'), own: media('own:mine') }
    const seen = (await refresh(value)) as typeof value
    assert.equal(seen.many, many)
    assert.equal(seen.foreign, value.foreign)
    assert.deepEqual(seen.own, media('new:mine'))
  })

  test('leave members with odd names as they are', async () => {
    const { refresh } = setting()
    const value = JSON.parse('{"__proto__":{"a":1},"own":{"url":"own:mine","mimeType":""}}')
    assert.equal(
      JSON.stringify(await refresh(value)),
      '{"__proto__":{"a":1},"own":{"url":"new:mine","mimeType":""}}',
    )
  })
})
