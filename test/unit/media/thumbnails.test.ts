import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { createThumbnails } from '#media/thumbnails/thumbnails.ts'

/** A picture of an account that is opened when `bytes` says so. */
const picture = (accountId: string, hash: string, open: () => Promise<Readable>) => ({
  record: {
    ...{ id: hash, accountId, hash, createdAtMs: 0 },
    ...{ mimeType: 'image/png', sizeBytes: 3 },
  },
  open,
})

const never = () => new Promise<Readable>(() => {})

test('an account may let 64 pictures wait, and others still get theirs', async () => {
  const thumbnails = createThumbnails()
  after(() => thumbnails.close())
  for (let n = 0; n < 64; n++) void thumbnails.make(picture('a', `a${n}`, never), 208)
  const busy = { code: 'SERVICE_UNAVAILABLE', status: 503, retryable: true }
  await assert.rejects(thumbnails.make(picture('a', 'one more', never), 208), busy)
  const other = thumbnails.make(picture('b', 'b', never), 208)
  const again = thumbnails.make(picture('a', 'a3', never), 208)
  const soon = new Promise((resolve) => setImmediate(resolve, 'waits'))
  assert.equal(await Promise.race([other, again, soon]), 'waits')
})

test('accounts take turns, and a picture that is asked for twice is made once', async () => {
  const thumbnails = createThumbnails()
  after(() => thumbnails.close())
  const opened: string[] = []
  const begin = Promise.withResolvers<void>()
  const noPicture = (hash: string) => async () => {
    opened.push(hash)
    await begin.promise
    return Readable.from([Buffer.from('no!')])
  }
  const ask = (account: string, hash: string) =>
    thumbnails.make(picture(account, hash, noPicture(hash)), 416)
  const asked = [ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3'), ask('b', 'b1'), ask('a', 'a2')]
  begin.resolve()
  assert.deepEqual(await Promise.all(asked), [null, null, null, null, null])
  assert.deepEqual(opened, ['a1', 'b1', 'a2', 'a3'])
  // What cannot be made is not tried again.
  assert.equal(await ask('a', 'a1'), null)
  assert.equal(opened.length, 4)
})
