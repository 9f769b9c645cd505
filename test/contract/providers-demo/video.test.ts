import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boxesOf, film, lookInto, make, plainPicture, withProvider } from './studio.ts'

test('a video is H.264 Baseline at 24 frames a second, as large and long as asked for, silent', () =>
  withProvider(async ({ submit }) => {
    const request = film('A red sailboat', { aspectRatio: '9:16', seconds: 2 })
    const seen = await lookInto(await make(submit, request))
    assert.match(seen.codec ?? '', /^avc1\.42/)
    assert.deepEqual([seen.width, seen.height], [360, 640])
    assert.equal(seen.seconds, 2)
    assert.equal(seen.packets.length, 48)
    assert.equal(seen.tracks, 1)
    assert.equal(seen.colorSpace?.matrix, 'smpte170m')
  }))

test('a player can start at once and seek by the second', () =>
  withProvider(async ({ submit }) => {
    const mp4 = await make(submit, film('A red sailboat', { seconds: 2 }))
    const boxes = boxesOf(mp4)
    assert.ok(boxes.indexOf('moov') < boxes.indexOf('mdat'), boxes.join(' '))
    const { packets } = await lookInto(mp4)
    const keys = packets.filter(({ type }) => type === 'key').map(({ timestamp }) => timestamp)
    assert.deepEqual(keys, [0, 1])
  }))

test('720 lines say how their colours were converted, too', () =>
  withProvider(async ({ submit }) => {
    const seen = await lookInto(await make(submit, film('A door', { resolution: '720p' })))
    assert.deepEqual([seen.width, seen.height, seen.colorSpace?.matrix], [720, 720, 'smpte170m'])
  }))

test('the same request gives the same bytes, in another thread too; another prompt gives others', async () => {
  const shoot = (prompt: string) => withProvider(({ submit }) => make(submit, film(prompt)))
  const [first, again, other] = [
    await shoot('A door'),
    await shoot('A door'),
    await shoot('A gate'),
  ]
  assert.ok(first.equals(again))
  assert.ok(!first.equals(other))
})

test('one thread makes one film after the other, of different sizes and from pictures', () =>
  withProvider(async ({ submit }) => {
    const picture = { bytes: plainPicture('#12c846'), mimeType: 'image/png' }
    const films = await Promise.all([
      make(submit, film('One', { resolution: '480p', aspectRatio: '16:9' })),
      make(submit, film('Two', { image: picture })),
    ])
    const seen = await Promise.all(films.map(lookInto))
    assert.deepEqual(
      seen.map(({ width }) => width),
      [854, 360],
    )
  }))
