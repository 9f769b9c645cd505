import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { ended, graph, started } from '../../journeys/runs/setting.ts'
import { encodedFilm, png } from '../../support/samples.ts'
import type { Call } from '../../support/server.ts'
import { addWorkflow, at, onBothDatabases, refusedAs } from './setting.ts'

const maxBytes = 12 * 1024 * 1024

/** A picture that decodes, made long by what follows its end. */
const picture = (bytes: number) =>
  Buffer.concat([png({ width: 3, height: 2 }), randomBytes(Math.max(0, bytes - 200))])

onBothDatabases(
  'uploads',
  (on) => {
    const upload = (body: Buffer, type = 'image/png', headers: Record<string, string> = {}) =>
      at(on.owner, '/uploads', {
        method: 'POST',
        body,
        headers: { 'content-type': type, ...headers },
      })

    const look = graph(
      [
        { id: 'image', type: 'input.image' },
        { id: 'out', type: 'output' },
      ],
      ['image -> out'],
    )

    test('a picture larger than a run request may be is an input of a run', async () => {
      const bytes = picture(3 * 1024 * 1024)
      const answer = await upload(bytes)
      assert.equal(answer.status, 200, answer.text)
      const media = answer.body.data
      assert.deepEqual(
        [media.mimeType, media.sizeBytes, media.width, media.height],
        ['image/png', bytes.length, 3, 2],
      )
      const stored = await fetch(media.url)
      assert.deepEqual(Buffer.from(await stored.arrayBuffer()), bytes)
      const inputs = { image: media.url }
      const runId = await started({ call: on.api }, await addWorkflow(on, look), { inputs })
      const run = await ended({ call: on.api }, runId)
      assert.equal(run.status, 'COMPLETED', JSON.stringify(run.nodeErrors))
      assert.equal(run.outputs.out.sizeBytes, bytes.length)
    })

    test('its address stays good for its own account when it has expired, for no other', async () => {
      const { url } = (await upload(picture(1000))).body.data
      const expired = url.replace(/exp=\d+/, 'exp=1000000000')
      const inputs = { image: expired }
      const mine = await started({ call: on.api }, await addWorkflow(on, look), { inputs })
      assert.equal((await ended({ call: on.api }, mine)).status, 'COMPLETED')
      const key = await on.stranger.newKey()
      const stranger = {
        call: (call: Call | string) =>
          on.server.call({ ...(typeof call === 'string' ? { path: call } : call), key }),
      }
      const made = await stranger.call({
        method: 'POST',
        path: '/api/ai-tools/v1/workflows',
        json: { name: 's', data: look },
      })
      const theirs = await started(stranger, made.body.data.id, { inputs })
      assert.equal((await ended(stranger, theirs)).status, 'FAILED')
    })

    test('a video longer than a picture may be is an input too', async () => {
      const clip = await encodedFilm({ width: 16, height: 16, frames: 2, frameRate: 10 })
      const film = Buffer.concat([clip, randomBytes(11 * 1024 * 1024)])
      const answer = await upload(film, 'video/mp4')
      assert.equal(answer.status, 200, answer.text)
      const data = graph(
        [
          { id: 'film', type: 'input.video' },
          { id: 'out', type: 'output' },
        ],
        ['film -> out'],
      )
      const inputs = { film: answer.body.data.url }
      const runId = await started({ call: on.api }, await addWorkflow(on, data), { inputs })
      assert.equal((await ended({ call: on.api }, runId)).status, 'COMPLETED')
    })

    test('what is neither a picture nor a video is refused, whatever it says it is', async () => {
      refusedAs(await upload(Buffer.from('<svg/>'), 'image/svg+xml'), 415, 'UNSUPPORTED_MEDIA_TYPE')
      refusedAs(await upload(Buffer.from('hello'), 'image/png'), 415, 'UNSUPPORTED_MEDIA_TYPE')
      refusedAs(await upload(picture(500), 'video/mp4'), 415, 'UNSUPPORTED_MEDIA_TYPE')
      refusedAs(await upload(picture(500), 'text/plain'), 415, 'UNSUPPORTED_MEDIA_TYPE')
      const encoded = await upload(picture(500), 'image/png', { 'content-encoding': 'gzip' })
      refusedAs(encoded, 415, 'UNSUPPORTED_MEDIA_TYPE')
      refusedAs(await upload(Buffer.from('{}'), 'application/json'), 400, 'INVALID_REQUEST')
      refusedAs(await upload(Buffer.alloc(0)), 415, 'UNSUPPORTED_MEDIA_TYPE')
    })

    test('more than a file may have is refused', async () => {
      refusedAs(await upload(picture(maxBytes + 1000)), 413, 'PAYLOAD_TOO_LARGE')
    })

    test('only a signed-in person uploads, from our own pages', async () => {
      const call = {
        method: 'POST',
        path: '/api/console/v1/uploads',
        key: null,
        body: picture(500),
        headers: { 'content-type': 'image/png', origin: on.server.url },
      }
      refusedAs(await on.server.call(call), 401, 'AUTH_REQUIRED')
      const foreign = { origin: 'https://elsewhere.example' }
      refusedAs(await upload(picture(500), 'image/png', foreign), 403, 'ORIGIN_NOT_ALLOWED')
    })
  },
  { MEDIA_MAX_BYTES: String(maxBytes) },
)
