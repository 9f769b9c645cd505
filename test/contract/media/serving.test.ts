import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import type { Readable } from 'node:stream'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { systemClock } from '#core/clock.ts'
import { createMediaStore } from '#media/media-store.ts'
import { type MediaAnswer, serveMedia } from '#media/serve-media.ts'
import { databases } from '../../support/databases.ts'
import { inPieces, jpeg } from '../../support/samples.ts'
import { openFilesUnder, subjects } from './subjects.ts'

const migrations = fileURLToPath(new URL('../../../src/store/migrations', import.meta.url))
const picture = Buffer.concat([jpeg({ width: 640, height: 480 }), randomBytes(20_000_000)])

const thumbnails = { make: () => assert.fail('no thumbnail was asked for') }

for (const subject of subjects) {
  describe(`serving media from ${subject.name}`, async () => {
    const owned = new AsyncDisposableStack()
    after(() => owned.disposeAsync())
    const { blobs, overwrite } = owned.use(await subject.open())
    const { db } = owned.use((await databases[0]?.open({ migrations })) ?? assert.fail())
    const bodies: Readable[] = []

    const server = fastify()
    // HEAD by name: the one that comes with GET would say that the length is 0.
    server.route({ method: ['GET', 'HEAD'], url: '/media/:id', handler })
    async function handler(request: FastifyRequest, reply: FastifyReply) {
      const { id } = request.params as { id: string }
      const { headers, query } = request
      const method = request.method === 'HEAD' ? 'HEAD' : 'GET'
      const answer: MediaAnswer = await serveMedia(
        { store, thumbnails },
        { method, headers, id, query },
      )
      if (answer.body) bodies.push(answer.body)
      return reply.code(answer.status).headers(answer.headers).send(answer.body)
    }
    const baseUrl = await server.listen({ host: '127.0.0.1', port: 0 })
    owned.defer(() => server.close())
    const signingKey = randomBytes(32)
    const store = createMediaStore({ blobs, db, clock: systemClock, signingKey, baseUrl })
    const record = await store.save(randomUUID(), inPieces(picture, 100_000), { maxBytes: 2 ** 30 })
    const { url } = store.publicMedia(record)

    test('a signed address gives the picture, whole and in part', async () => {
      const whole = await fetch(url)
      assert.equal(whole.status, 200)
      assert.equal(whole.headers.get('content-type'), 'image/jpeg')
      assert.ok(Buffer.from(await whole.arrayBuffer()).equals(picture))
      const part = await fetch(url, { headers: { range: 'bytes=-1000' } })
      assert.equal(part.status, 206)
      assert.ok(Buffer.from(await part.arrayBuffer()).equals(picture.subarray(-1_000)))
      const etag = whole.headers.get('etag') ?? ''
      assert.equal((await fetch(url, { headers: { 'if-none-match': etag } })).status, 304)
      const head = await fetch(url, { method: 'HEAD' })
      assert.equal(head.headers.get('content-length'), String(picture.length))
    })

    for (const [what, damage] of [
      ['cut short', (bytes: Buffer) => bytes.subarray(0, 10)],
      ['changed', (bytes: Buffer) => Buffer.from(bytes).fill(7, 100, 200)],
      ['longer', (bytes: Buffer) => Buffer.concat([bytes, bytes])],
    ] as const) {
      test(`a picture that was ${what} in the store never arrives whole`, async () => {
        for (const length of [268, 300_000]) {
          const bytes = Buffer.concat([jpeg({ width: 9, height: 9 }), randomBytes(length)])
          const saved = await store.save(randomUUID(), inPieces(bytes, 1_000), {
            maxBytes: 2 ** 20,
          })
          const [row] = await db.query<{ blob: string }>('select blob from media where id = $1', [
            saved.id,
          ])
          await overwrite(row?.blob ?? '', damage(bytes))
          const { url } = store.publicMedia(saved)
          const outcome = await fetch(url)
            .then((answer) => answer.arrayBuffer().then(() => answer.status))
            .catch(() => 'cut')
          assert.ok(outcome === 500 || outcome === 'cut', `${length}: ${outcome}`)
        }
      })
    }

    test('a changed film never arrives whole either, as players ask for it', async () => {
      const bytes = Buffer.concat([jpeg({ width: 9, height: 9 }), randomBytes(300_000)])
      const saved = await store.save(randomUUID(), inPieces(bytes, 1_000), { maxBytes: 2 ** 20 })
      const [row] = await db.query<{ blob: string }>('select blob from media where id = $1', [
        saved.id,
      ])
      const { url } = store.publicMedia(saved)
      const outcomeOf = (range: string) =>
        fetch(url, { headers: { range } })
          .then((answer) => answer.arrayBuffer().then(() => answer.status))
          .catch(() => 'cut')
      assert.equal(await outcomeOf('bytes=0-'), 206)
      await overwrite(row?.blob ?? '', Buffer.from(bytes).fill(7, 100, 200))
      assert.equal(await outcomeOf('bytes=0-'), 'cut')
      assert.equal(await outcomeOf(`bytes=0-${bytes.length - 1}`), 'cut')
      // Of a part nobody can tell without reading the rest.
      assert.equal(await outcomeOf('bytes=0-10'), 206)
    })

    test('a changed address gives nothing', async () => {
      assert.equal((await fetch(`${url}x`)).status, 404)
      assert.equal((await fetch(url.replace(record.id, randomUUID()))).status, 404)
      assert.equal((await fetch(`${url}&exp=1`)).status, 404)
      assert.equal((await fetch(url.split('?')[0] ?? '')).status, 404)
    })

    test('clients that go away, and those that stay, leave nothing open', async () => {
      bodies.length = 0
      const leave = async () => {
        const request = get(url, { agent: false })
        const [response] = await once(request, 'response')
        await once(response, 'readable')
        request.destroy()
      }
      await Promise.all([leave(), leave(), leave(), leave()])
      await (await fetch(url)).arrayBuffer()
      assert.equal(bodies.length, 5)
      await Promise.all(bodies.map((body) => body.closed || once(body, 'close')))
      const open = await openFilesUnder(tmpdir())
      assert.deepEqual(
        open.filter((path) => path.includes('atelier-media-')),
        [],
      )
    })
  })
}
