import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import fc from 'fast-check'
import { BlobMissing } from '#media/blob-store.ts'
import { type MediaRequest, serveMedia } from '#media/serve-media.ts'

const content = Buffer.from('0123456789')
const id = '01890a5d-ac96-774b-bcce-b302099a8057'
const record = {
  id,
  accountId: 'ada',
  hash: 'ab'.repeat(32),
  mimeType: 'video/mp4',
  sizeBytes: content.length,
  createdAtMs: 0,
}
const etag = `"${record.hash}"`

const thumbnails = { make: () => assert.fail('no thumbnail was asked for') }

let opened = 0
const store = {
  verify: (asked: string, query: unknown) =>
    asked === id && query === 'signed' ? { maxAgeSeconds: 60 } : null,
  openForServing: async () => ({
    record,
    open: async (range = { start: 0, end: content.length - 1 }) => {
      opened++
      return Readable.from([content.subarray(range.start, range.end + 1)])
    },
  }),
}

async function ask(headers: MediaRequest['headers'] = {}, method: MediaRequest['method'] = 'GET') {
  opened = 0
  const answer = await serveMedia({ store, thumbnails }, { method, headers, id, query: 'signed' })
  const bytes = answer.body && Buffer.concat(await answer.body.toArray())
  return { ...answer, text: bytes?.toString() }
}

test('media comes with its type, size and tag, and nothing that lets a browser run it', async () => {
  const { status, headers, text } = await ask()
  assert.equal(status, 200)
  assert.equal(text, '0123456789')
  assert.deepEqual(headers, {
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, max-age=60',
    'Content-Disposition': `inline; filename="${id}.mp4"`,
    'Content-Length': '10',
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'Content-Type': 'video/mp4',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    ETag: etag,
    'X-Content-Type-Options': 'nosniff',
  })
})

test('HEAD answers as GET does, without a body and without opening the bytes', async () => {
  const { status, headers, body } = await ask({}, 'HEAD')
  assert.deepEqual({ status, headers }, { status: 200, headers: (await ask()).headers })
  assert.equal(body, undefined)
  await ask({}, 'HEAD')
  assert.equal(opened, 0)
})

test('HEAD ignores a range', async () => {
  const { status, headers } = await ask({ range: 'bytes=2-3' }, 'HEAD')
  assert.deepEqual([status, headers['Content-Length']], [200, '10'])
})

test('a bad signature and missing media look alike', async () => {
  const missing = { status: 404, headers: {} }
  const request = { method: 'GET', headers: {}, id, query: 'signed' } as const
  assert.deepEqual(
    await serveMedia({ store, thumbnails }, { ...request, query: 'forged' }),
    missing,
  )
  const without = { ...store, openForServing: async () => null }
  assert.deepEqual(await serveMedia({ store: without, thumbnails }, request), missing)
  const open = async () => {
    throw new BlobMissing('x', null)
  }
  const gone = { ...store, openForServing: async () => ({ record, open }) }
  assert.deepEqual(await serveMedia({ store: gone, thumbnails }, request), missing)
})

test('a bad signature is refused before the store is asked', async () => {
  let isAsked = false
  const watched = {
    ...store,
    openForServing: async () => {
      isAsked = true
      return null
    },
  }
  await serveMedia(
    { store: watched, thumbnails },
    { method: 'GET', headers: {}, id, query: 'forged' },
  )
  assert.equal(isAsked, false)
})

test('a client that has the content gets a 304 without a body', async () => {
  for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const { status, headers, body } = await ask({ 'if-none-match': tag })
    assert.deepEqual([status, headers.ETag, body], [304, etag, undefined])
    assert.equal(headers['Cache-Control'], 'private, max-age=60')
    assert.equal(opened, 0)
  }
})

test('a client that has other content gets this one', async () => {
  for (const tag of ['"other"', record.hash, '']) {
    assert.equal((await ask({ 'if-none-match': tag })).status, 200)
  }
})

test('a range is answered with the part that slicing gives', async () => {
  const number = fc.nat(14)
  await fc.assert(
    fc.asyncProperty(number, number, async (start, end) => {
      const { status, headers, text } = await ask({ range: `bytes=${start}-${end}` })
      if (end < start) return assert.deepEqual([status, text], [200, '0123456789'])
      const expected = content.subarray(start, end + 1).toString()
      if (expected === '') return assert.equal(status, 416)
      assert.deepEqual([status, text], [206, expected])
      assert.equal(headers['Content-Length'], String(expected.length))
      const last = start + expected.length - 1
      assert.equal(headers['Content-Range'], `bytes ${start}-${last}/10`)
    }),
  )
})

test('an open end and a suffix are parts; several ranges are the whole', async () => {
  assert.equal((await ask({ range: 'bytes=7-' })).text, '789')
  assert.equal((await ask({ range: 'bytes=-3' })).text, '789')
  const several = await ask({ range: 'bytes=0-1,4-5' })
  assert.deepEqual([several.status, several.text], [200, '0123456789'])
})

test('a range that cannot be satisfied is answered with the size', async () => {
  const { status, headers, body } = await ask({ range: 'bytes=10-' })
  assert.deepEqual([status, headers['Content-Range'], body], [416, 'bytes */10', undefined])
  assert.equal(opened, 0)
})

test('a range for other content, or for content of some date, gets the whole', async () => {
  const range = 'bytes=2-3'
  assert.equal((await ask({ range, 'if-range': etag })).status, 206)
  for (const other of ['"other"', `W/${etag}`, 'Wed, 21 Oct 2015 07:28:00 GMT']) {
    assert.equal((await ask({ range, 'if-range': other })).status, 200)
  }
})

test('a client that has the content gets a 304 even if it asks for a range', async () => {
  assert.equal((await ask({ range: 'bytes=2-3', 'if-none-match': etag })).status, 304)
})

test('whatever a client sends in these headers is answered, never a failure', async () => {
  const text = fc.oneof(fc.string(), fc.array(fc.string()), fc.constant(undefined))
  await fc.assert(
    fc.asyncProperty(text, text, text, async (range, ifRange, ifNoneMatch) => {
      const headers = { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch }
      assert.ok([200, 206, 304, 416].includes((await ask(headers)).status))
    }),
  )
})
