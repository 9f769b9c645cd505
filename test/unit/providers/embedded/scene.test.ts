import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { fontPath } from '#providers/embedded/art/caption.ts'
import { composeScene, stillOf } from '#providers/embedded/art/compose.ts'
import { readFont } from '#providers/embedded/art/font.ts'
import { areaOf, placeAt } from '#providers/embedded/art/motion.ts'
import { palettes } from '#providers/embedded/art/palette.ts'
import { seededRandom } from '#providers/embedded/art/random.ts'
import { readSubject } from '#providers/embedded/art/subject.ts'

const subject = (prompt: string) => readSubject(prompt, seededRandom(prompt))
const still = (prompt: string, aspect = 1) =>
  stillOf(composeScene({ prompt, aspect, finish: 'plain' }), { width: 100, height: 100 / aspect })
const texts = (svg: string) =>
  [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text)

test('the words of a prompt decide place, mood, things and weather', () => {
  assert.equal(subject('a city at night').style, 'city')
  assert.equal(subject('a city at night').palette, palettes.night)
  assert.equal(subject('a city at night').night, true)
  assert.equal(subject('a forest in autumn').style, 'woods')
  assert.equal(subject('a forest in autumn').palette, palettes.autumn)
  assert.deepEqual(subject('a red boat and a lighthouse in the rain').motifs, [
    'lighthouse',
    'boat',
  ])
  assert.equal(subject('a boat in the rain').weather, 'rain')
  assert.equal(subject('snowy hills').weather, 'snow')
})

test('a colour beside a mood belongs to a thing, alone it fills the picture', () => {
  const { palette } = subject('a red boat at sunset')
  assert.deepEqual(palette.sky, palettes.sunset.sky)
  assert.notEqual(palette.accent, palettes.sunset.accent)
  const { palette: green } = subject('green')
  assert.ok(!Object.values(palettes).some((known) => known === green))
})

test('the same prompt gives the same scene, another prompt another', () => {
  assert.equal(still('Two words'), still('Two words'))
  assert.notEqual(still('Two words'), still('Two other words'))
})

test('a caption cannot break out of the picture', () => {
  const [line] = texts(still('</text><script>"&\''))
  assert.equal(line, '&#60;/text&#62;&#60;script&#62;&#34;&#38;&#39;')
})

test('a long caption is cut after three lines, a long word within itself', () => {
  for (const prompt of ['many words '.repeat(500), 'w'.repeat(5000)]) {
    const lines = texts(still(prompt)).slice(0, -1)
    assert.equal(lines.length, 3)
    assert.match(lines[2] ?? '', /…$/)
  }
})

test('characters the font lacks are left out, and with them an empty caption', () => {
  assert.deepEqual(texts(still('Fête 🎉 à Łódź')).slice(0, -1), ['Fête à Łódź'])
  assert.deepEqual(texts(still('こんにちは 🎉')), ['ATELIER DEMO'])
  assert.deepEqual(texts(still('')), ['ATELIER DEMO'])
})

test('every prompt makes a scene, in every form', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.constantFrom(1, 16 / 9, 9 / 16),
      (prompt, aspect) => {
        const svg = still(prompt, aspect)
        assert.doesNotMatch(svg, /NaN|undefined|Infinity/)
        assert.equal(texts(svg).at(-1), 'ATELIER DEMO')
      },
    ),
    { numRuns: 150 },
  )
})

test('the font knows its letters and their widths', () => {
  const { covers, advance } = readFont(readFileSync(fontPath))
  for (const char of 'Azß–Жλ€…') assert.ok(covers(char.codePointAt(0) ?? 0), char)
  for (const char of '漢あ🎉א') assert.ok(!covers(char.codePointAt(0) ?? 0), char)
  assert.ok(advance(0x57) > advance(0x69))
})

test('a film starts where the still is, and moves on from there', () => {
  const motion = {
    drift: { x: 10, y: 0 },
    orbit: { rx: 5, ry: 5, turnsPerSecond: 0.25, phase: 0.1 },
    spin: 0.5,
    grow: 0.1,
  }
  assert.deepEqual(placeAt(motion, 0), { dx: 0, dy: 0, scale: 1, angle: 0, opacity: 1 })
  const later = placeAt(motion, 4)
  assert.equal(Math.round(later.dx), 40)
  assert.equal(later.angle, Math.PI * 4)
})

test('a layer is drawn as far as it will move', () => {
  const frame = { width: 100, height: 50 }
  const motion = { drift: { x: 10, y: -5 } }
  assert.deepEqual(areaOf({ svg: '', motion }, frame, 2), { x: -20, y: 0, width: 120, height: 60 })
})
