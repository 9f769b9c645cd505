import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { movieFacts } from '#media/movie-facts.ts'
import { rounds } from '../../support/rounds.ts'
import { box, encodedFilm, filmWithSound, ftyp, u32be } from '../../support/samples.ts'

function read(bytes: Buffer) {
  let reads = 0
  const facts = movieFacts(async (offset, length) => {
    reads++
    return bytes.subarray(offset, offset + length)
  }, bytes.length)
  return facts.then((found) => ({ found, reads }))
}
const factsOf = async (bytes: Buffer) => (await read(bytes)).found

const quarterTurn = [0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000]
const upright = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000]
const matrix = (numbers: number[]) => Buffer.concat(numbers.map((number) => u32be(number >>> 0)))

const header = (timescale: number, ticks: number) =>
  box('mvhd', Buffer.alloc(12), u32be(timescale), u32be(ticks), Buffer.alloc(80))
const longHeader = (timescale: number, ticks: bigint) => {
  const length = Buffer.alloc(8)
  length.writeBigUInt64BE(ticks)
  return box('mvhd', Buffer.from([1, 0, 0, 0]), Buffer.alloc(16), u32be(timescale), length)
}
const track = (handler: string, numbers = upright) =>
  box(
    'trak',
    box('tkhd', Buffer.alloc(40), matrix(numbers), u32be(640 << 16), u32be(360 << 16)),
    box('mdia', box('hdlr', Buffer.alloc(8), Buffer.from(handler), Buffer.alloc(12))),
  )
const film = (...moov: Buffer[]) =>
  Buffer.concat([ftyp('isom'), box('mdat', Buffer.alloc(100)), box('moov', ...moov)])

test('an encoded film tells its size, its length and that it is silent', async () => {
  const bytes = await encodedFilm({ width: 64, height: 32, frames: 5, frameRate: 10 })
  const expected = { width: 64, height: 32, durationSeconds: 0.5, hasAudio: false }
  assert.deepEqual(await factsOf(bytes), expected)
})

test('a film with sound says so', async () => {
  const bytes = await filmWithSound({ width: 320, height: 180, seconds: 2.5, layout: 'whole' })
  const expected = { width: 320, height: 180, durationSeconds: 2.5, hasAudio: true }
  assert.deepEqual(await factsOf(bytes), expected)
})

test('a film in fragments still tells its size and sound', async () => {
  const bytes = await filmWithSound({ width: 320, height: 180, seconds: 2, layout: 'fragments' })
  const facts = await factsOf(bytes)
  assert.deepEqual([facts?.width, facts?.height, facts?.hasAudio], [320, 180, true])
})

test('the length of a film in fragments comes from the box made for it', async () => {
  const bytes = film(header(1_000, 0), box('mvex', box('mehd', u32be(0), u32be(4_250))))
  assert.equal((await factsOf(bytes))?.durationSeconds, 4.25)
})

test('a film filmed upright is as high as it is shown', async () => {
  const facts = await factsOf(film(header(600, 600), track('vide', quarterTurn)))
  assert.deepEqual([facts?.width, facts?.height], [360, 640])
})

test('a length in 64 bits is read; one that says unknown is left out', async () => {
  assert.equal((await factsOf(film(longHeader(1_000, 2n ** 33n))))?.durationSeconds, 8589934.592)
  assert.equal((await factsOf(film(longHeader(1_000, 2n ** 64n - 1n))))?.durationSeconds, undefined)
  assert.equal((await factsOf(film(header(1_000, 2 ** 32 - 1))))?.durationSeconds, undefined)
})

test('the size of a sound track is not the size of the film', async () => {
  const facts = await factsOf(film(header(600, 600), track('soun')))
  assert.deepEqual(facts, { hasAudio: true, durationSeconds: 1 })
})

test('a box that claims more than there is ends the reading', async () => {
  const cut = film(header(600, 600), track('vide')).subarray(0, -10)
  assert.equal(await factsOf(cut), null)
})

test('a file of countless tiny boxes is given up after few reads', async () => {
  const bytes = Buffer.concat(Array.from({ length: 50_000 }, () => box('free')))
  const { found, reads } = await read(bytes)
  assert.equal(found, null)
  assert.ok(reads <= 2_000)
})

test('spoiled films are read to some end, in few reads, without failing', async () => {
  const bases = [
    await filmWithSound({ width: 320, height: 180, seconds: 1, layout: 'whole' }),
    film(longHeader(1_000, 5_000n), track('vide'), track('soun')),
  ]
  const change = fc.tuple(fc.nat(), fc.constantFrom(0, 1, 7, 8, 127, 128, 255))
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...bases),
      fc.array(change, { minLength: 1, maxLength: 6 }),
      async (base, changes) => {
        const bytes = Buffer.from(base)
        for (const [at, value] of changes) bytes[at % bytes.length] = value
        assert.ok((await read(bytes)).reads < 5_000)
      },
    ),
    { numRuns: rounds(2_000) },
  )
})
