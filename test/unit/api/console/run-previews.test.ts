import assert from 'node:assert/strict'
import { test } from 'node:test'
import { previewOf } from '#api/console/runs/run-previews.ts'

const media = { url: '/media/1?s=a', sizeBytes: 5 }

test('a picture or film on a node is named with its kind, a film with its length', () => {
  const film = { ...media, mimeType: 'video/mp4', durationSeconds: 4.5 }
  const picture = { ...media, mimeType: 'image/png', width: 2, height: 2 }
  const { kind, media: shown } = previewOf([film, picture])
  assert.equal(kind, 'list')
  assert.deepEqual(shown, [
    { url: media.url, mimeType: 'video/mp4', durationSeconds: 4.5 },
    { url: media.url, mimeType: 'image/png' },
  ])
})
