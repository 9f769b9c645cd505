import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { crc32 } from 'node:zlib'
import { systemClock } from '#core/clock.ts'
import { readPictureHeader } from '#core/picture-header.ts'
import { createMediaStore } from '#media/media-store.ts'
import { serveMedia } from '#media/serve-media.ts'
import { createThumbnails } from '#media/thumbnails/thumbnails.ts'
import { databases } from '../../support/databases.ts'
import { box, ftyp, inPieces, jpeg, png } from '../../support/samples.ts'
import { subjects } from './subjects.ts'

const migrations = fileURLToPath(new URL('../../../src/store/migrations', import.meta.url))
const decoded = (text: string) => Buffer.from(text, 'base64')

/** 48 by 24 pixels; its EXIF data say that it is shown turned by a quarter. */
const turned = decoded(
  '/9j/4QC8RXhpZgAASUkqAAgAAAAGABIBAwABAAAABgAAABoBBQABAAAAVgAAABsBBQABAAAAXgAAACgBAwABAAAAAgAA' +
    'ABMCAwABAAAAAQAAAGmHBAABAAAAZgAAAAAAAAA4YwAA6AMAADhjAADoAwAABgAAkAcABAAAADAyMTABkQcABAAAAAEC' +
    'AwAAoAcABAAAADAxMDABoAMAAQAAAP//AAACoAQAAQAAADAAAAADoAQAAQAAABgAAAAAAAAA/9sAQwBQNzxGPDJQRkFG' +
    'WlVQX3jIgnhubnj1r7mRyP///////////////////////////////////////////////////9sAQwFVWlp4aXjrgoLr' +
    '/////////////////////////////////////////////////////////////////////////8AAEQgAGAAwAwEiAAIR' +
    'AQMRAf/EABUAAQEAAAAAAAAAAAAAAAAAAAAE/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/EABQBAQAAAAAAAAAAAAAAAAAA' +
    'AAD/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwC0AAAAAAAAAAAH/9k=',
)
const avif = decoded(
  'AAAAHGZ0eXBhdmlmAAAAAG1pZjFhdmlmbWlhZgAAANZtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAA' +
    'AAAAAAAAACJpbG9jAAAAAERAAAEAAQAAAAAA+gABAAAAAAAAADAAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABh' +
    'djAxAAAAAA5waXRtAAAAAAABAAAAVmlwcnAAAAA4aXBjbwAAAAxhdjFDgSECAAAAABRpc3BlAAAAAAAAAlgAAAEsAAAA' +
    'EHBpeGkAAAAAAwgICAAAABZpcG1hAAAAAAAAAAEAAQOBAgMAAAA4bWRhdBIACgo4ZiV5W0gIaDSAMiATsJipOAAFgAEA' +
    'l78skK0zXdpklR1f+clTMw7kfHL8YA==',
)
/** 48 by 24 pixels, white and then black. */
const animation = decoded(
  'R0lGODlhMAAYAIAAAExpcf///yH5BAUAAAAALAAAAAAwABgAAAIgjI+py+0Po5y02ouz3rz7D4biSJbmiabqyrbuC8fy' +
    'zBUAIfkEBQAAAAAsAAAAADAAGACATGlxAAAAAiCMj6nL7Q+jnLTai7PevPsPhuJIluaJpurKtu4Lx/LMFQA7',
)

const large = png({ width: 8_000, height: 8_000, shade: 200 })

const thumbnails = createThumbnails()
after(() => thumbnails.close())

for (const subject of subjects) {
  describe(`thumbnails of media in ${subject.name}`, async () => {
    const owned = new AsyncDisposableStack()
    after(() => owned.disposeAsync())
    const { blobs } = owned.use(await subject.open())
    const { db } = owned.use((await databases[0]?.open({ migrations })) ?? assert.fail())
    const baseUrl = 'http://localhost'
    const signingKey = randomBytes(32)
    const store = createMediaStore({ blobs, db, clock: systemClock, signingKey, baseUrl })
    const save = (bytes: Buffer) =>
      store.save(randomUUID(), inPieces(bytes, 50_000), { maxBytes: 2 ** 30 })
    type Saved = Awaited<ReturnType<typeof save>>

    async function ask(
      saved: Saved,
      width: string,
      headers: Record<string, string> = {},
      method: 'GET' | 'HEAD' = 'GET',
    ) {
      const { searchParams } = new URL(store.publicMedia(saved).url)
      const query = { ...Object.fromEntries(searchParams), w: width }
      const answer = await serveMedia(
        { store, thumbnails },
        { method, headers, id: saved.id, query },
      )
      const body = answer.body && Buffer.concat(await answer.body.toArray())
      return { ...answer, body }
    }
    const sizeOf = (body: Buffer | undefined) => {
      const header = body && readPictureHeader(body)
      return header && [header.type, header.width, header.height]
    }

    test('a picture comes at most as wide as asked for, cached like the whole one', async () => {
      const saved = await save(png({ width: 1000, height: 500, shade: 90 }))
      for (const [asked, size] of [
        ['416', ['webp', 416, 208]],
        ['208', ['webp', 208, 104]],
      ] as const) {
        const { status, headers, body } = await ask(saved, asked)
        assert.equal(status, 200)
        assert.deepEqual(sizeOf(body), size)
        const { 'Cache-Control': cached, ...rest } = headers
        assert.match(cached ?? '', /^private, max-age=[1-9][0-9]+$/)
        assert.deepEqual(rest, {
          'Accept-Ranges': 'none',
          'Content-Disposition': `inline; filename="${saved.id}-${asked}.webp"`,
          'Content-Length': String(body?.length),
          'Content-Security-Policy': "sandbox; default-src 'none'",
          'Content-Type': 'image/webp',
          'Cross-Origin-Resource-Policy': 'cross-origin',
          ETag: `"${saved.hash}-w${asked}"`,
          'X-Content-Type-Options': 'nosniff',
        })
        const again = await ask(saved, asked, { 'if-none-match': headers.ETag ?? '' })
        assert.equal(again.status, 304)
        assert.equal(again.body, undefined)
        const head = await ask(saved, asked, {}, 'HEAD')
        assert.deepEqual(
          [head.headers['Content-Length'], head.body],
          [rest['Content-Length'], undefined],
        )
        const part = await ask(saved, asked, { range: 'bytes=0-9' })
        assert.deepEqual([part.status, part.body], [200, body])
      }
    })

    test('a small picture is never enlarged, and stands upright', async () => {
      assert.deepEqual(sizeOf((await ask(await save(turned), '208')).body), ['webp', 24, 48])
    })

    test('of an animation the first picture is shown', async () => {
      const { body } = await ask(await save(animation), '208')
      assert.deepEqual(sizeOf(body), ['webp', 48, 24])
      assert.ok(!body?.includes('ANIM'))
    })

    test('AVIF is made small too', async () => {
      assert.deepEqual(sizeOf((await ask(await save(avif), '416')).body), ['webp', 416, 208])
    })

    for (const [what, bytes] of [
      ['a PNG of 64 megapixels in 60 kB', large],
      ['a PNG that says it has 900 megapixels', bomb(30_000)],
      ['a JPEG that ends after its header', jpeg({ width: 640, height: 480 })],
      ['a PNG with nothing in it', png({ width: 640, height: 480 }).subarray(0, 40)],
      ['a HEIC of noise', Buffer.concat([ftyp('heic', 'mif1'), box('meta', randomBytes(5_000))])],
      [
        'a WebP of noise',
        Buffer.concat([Buffer.from('RIFF\x10\x27\0\0WEBPVP8 '), randomBytes(9_000)]),
      ],
    ] as const) {
      test(`${what} comes as it is, and the next picture is still made`, async () => {
        const saved = await save(bytes)
        const { status, headers, body } = await ask(saved, '208')
        assert.equal(status, 200)
        assert.equal(headers.ETag, `"${saved.hash}"`)
        assert.ok(body?.equals(bytes))
        const sound = await save(png({ width: 500, height: 100, shade: bytes.length % 250 }))
        assert.deepEqual(sizeOf((await ask(sound, '416')).body), ['webp', 416, 83])
      })
    }

    test('another width is refused by name, and so is a film', async () => {
      const picture = await save(png({ width: 100, height: 100 }))
      for (const width of ['300', '', '0208', '208px']) {
        await assert.rejects(ask(picture, width), {
          code: 'INVALID_REQUEST',
          status: 400,
          message: /^w, /,
        })
      }
      const film = await save(Buffer.concat([ftyp('isom', 'mp41'), box('mdat', Buffer.alloc(100))]))
      await assert.rejects(ask(film, '208'), { code: 'INVALID_REQUEST', message: /video\/mp4/ })
    })

    test('a thumbnail ends with its record, and needs the address of its own record', async () => {
      const saved = await save(png({ width: 700, height: 70 }))
      assert.equal((await ask(saved, '208')).status, 200)
      const other = await save(png({ width: 700, height: 70 }))
      const { search } = new URL(store.publicMedia(other).url)
      const query = { ...Object.fromEntries(new URLSearchParams(search)), w: '208' }
      const stolen = await serveMedia(
        { store, thumbnails },
        { method: 'GET', headers: {}, id: saved.id, query },
      )
      assert.equal(stolen.status, 404)
      await store.deleteExpired(systemClock.nowMs() + 60_000, 1_000)
      assert.equal((await ask(saved, '208')).status, 404)
      const known = { 'if-none-match': `"${saved.hash}-w208"` }
      assert.equal((await ask(saved, '208', known)).status, 404)
    })
  })
}

/** A small picture whose header announces a huge one. */
function bomb(side: number): Buffer {
  const whole = png({ width: 8, height: 8 })
  whole.writeUInt32BE(side, 16)
  whole.writeUInt32BE(side, 20)
  whole.writeUInt32BE(crc32(whole.subarray(12, 29)), 29)
  return whole
}
