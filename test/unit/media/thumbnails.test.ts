import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

/** Decoders that do with a picture what it says; they do not start while a file `broken` is there. */
const decoders = `
const broken = require('node:path').join(__dirname, 'broken')
module.exports = async () => {
  if (require('node:fs').existsSync(broken)) throw new Error('no memory for WebAssembly')
  const disposable = { width: 1, height: 1, [Symbol.dispose]() {} }
  return {
    concurrency() {},
    Cache: { max() {} },
    operationBlock() {},
    Image: {
      newFromBuffer(bytes) {
        if (String(bytes) === 'trap') throw new WebAssembly.RuntimeError('unreachable')
        if (String(bytes) === 'abort') process.abort()
        if (String(bytes) === 'bad') throw new Error('not a picture')
        return disposable
      },
      thumbnailBuffer: () => ({ ...disposable, webpsaveBuffer: () => Buffer.from('small') }),
    },
  }
}
`

async function openDecoders() {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-decoders-'))
  const libraryPath = join(folder, 'library.cjs')
  await writeFile(libraryPath, decoders)
  const thumbnails = createThumbnails({ libraryPath })
  after(async () => {
    thumbnails.close()
    await rm(folder, { recursive: true })
  })
  const opened: string[] = []
  const ask = async (content: string) => {
    const made = await thumbnails.make(
      picture('a', content, async () => {
        opened.push(content)
        return Readable.from([Buffer.from(content)])
      }),
      208,
    )
    return made && Buffer.from(made).toString()
  }
  return { ask, opened, broken: join(folder, 'broken') }
}

test('a decoder that crashes costs its own picture only, and is not tried with it again', async () => {
  const { ask, opened } = await openDecoders()
  const asked = ['good', 'trap', 'after trap', 'abort', 'after abort', 'bad', 'after bad']
  const made = [null, 'small']
  assert.deepEqual(
    await Promise.all(asked.map(ask)),
    asked.map((content) => made[Number(/good|after/.test(content))]),
  )
  const before = opened.length
  assert.deepEqual(await Promise.all(['trap', 'abort'].map(ask)), [null, null])
  assert.equal(opened.length, before)
})

test('decoders that do not start are no verdict on a picture: once they do, it is made', async () => {
  const { ask, broken } = await openDecoders()
  await writeFile(broken, '')
  assert.deepEqual(await Promise.all(['one', 'two'].map(ask)), [null, null])
  await rm(broken)
  assert.deepEqual(await Promise.all(['one', 'two', 'three'].map(ask)), Array(3).fill('small'))
})
