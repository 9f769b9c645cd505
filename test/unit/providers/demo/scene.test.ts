import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { composeScene, sceneAt } from '#providers/demo/art/compose.ts'
import { palettes } from '#providers/demo/art/palette.ts'
import { seededRandom } from '#providers/demo/art/random.ts'
import { readSubject } from '#providers/demo/art/subject.ts'
import { rounds } from '../../../support/rounds.ts'

const subject = (prompt: string) => readSubject(prompt, seededRandom(prompt))
const drawn = (prompt: string, { aspect = 1, seconds = 0 } = {}) => {
  const scene = composeScene({ prompt, aspect, finish: 'plain' })
  return sceneAt(scene.layers, scene, { width: 100, height: 100 / aspect }, seconds)
}
/** The lines of type, without the mark. */
const texts = (svg: string) =>
  [...svg.matchAll(/<text[^>]*>(.*?)<\/text>/g)]
    .map(([, text = '']) => text)
    .filter((text) => text !== 'ATELIER DEMO')

test('the words of a prompt decide place, mood, things and weather', () => {
  assert.equal(subject('a city at night').place, 'city')
  assert.deepEqual(subject('a city at night').palette, palettes.night)
  assert.equal(subject('a city at night').isNight, true)
  assert.equal(subject('a forest in autumn').hasTrees, true)
  assert.deepEqual(subject('a forest in autumn').palette, palettes.autumn)
  assert.deepEqual(subject('a red boat and a lighthouse in the rain').things, [
    'lighthouse',
    'boat',
  ])
  assert.equal(subject('a boat in the rain').weather, 'rain')
  assert.equal(subject('snowy mountains').weather, 'snow')
  assert.equal(subject('snowy mountains').relief, 'peaks')
})

test('the hour colours the sky, and the season the ground below it', () => {
  const { palette } = subject('a desert at night')
  assert.deepEqual(palette.sky, palettes.night.sky)
  assert.notEqual(palette.far, palettes.night.far)
})

test('a thing without a place is shown where it is usually seen', () => {
  assert.equal(subject('a sailboat at sunset').place, 'sea')
  assert.equal(subject('a cabin at sunset').place, 'landscape')
  assert.equal(subject('a sailboat in the mountains').hasLake, true)
})

test('a prompt whose subject is not known becomes a poster of its own words', () => {
  const unknown = [
    'a red door',
    'a cat on a sofa',
    'A dragon reading the newspaper',
    'Quarterly revenue grew 12%',
    'house music at a chat about sound waves',
    "a bird's-eye view of a team: ship it",
  ]
  for (const prompt of unknown) {
    assert.equal(subject(prompt).place, 'poster', prompt)
    assert.deepEqual(subject(prompt).things, [], prompt)
    assert.equal(texts(drawn(prompt)).join(' ').replaceAll('&#39;', "'"), prompt)
  }
})

test('a colour is the colour of the thing in a scene, and of all in a poster', () => {
  const { palette } = subject('a blue boat at sunset')
  assert.deepEqual(palette.sky, palettes.sunset.sky)
  assert.equal(palette.accent, '#2563c9')
  assert.equal(subject('a green door').palette.sky[1], '#2f9e5a')
})

test('the same prompt gives the same scene, another prompt another', () => {
  assert.equal(drawn('Two words'), drawn('Two words'))
  assert.notEqual(drawn('Two words'), drawn('Two other words'))
})

test('words cannot break out of the picture', () => {
  const [line] = texts(drawn('A boat </text><script>"&\''))
  assert.equal(line, 'A boat &#60;/text&#62;&#60;script&#62;&#34;&#38;&#39;')
  assert.doesNotMatch(drawn('</text><script>'), /<script/)
})

test('a long caption is cut after three lines, a long word within itself', () => {
  for (const prompt of [
    `a lighthouse ${'many words '.repeat(500)}`,
    `a boat ${'w'.repeat(5000)}`,
  ]) {
    const lines = texts(drawn(prompt))
    assert.equal(lines.length, 3)
    assert.match(lines[2] ?? '', /…$/)
  }
  assert.match(texts(drawn('other words '.repeat(500))).at(-1) ?? '', /…$/)
})

test('characters the font lacks are left out, and it is said where none is left', () => {
  assert.deepEqual(texts(drawn('Fête 🎉 à Łódź')).join(' '), 'Fête à Łódź')
  assert.match(texts(drawn('こんにちは 🎉')).join(' '), /cannot print the words/)
  assert.deepEqual(texts(drawn('…')), ['…'])
  assert.deepEqual(texts(drawn(' ')), [])
  assert.deepEqual(texts(drawn('')), [])
})

test('every prompt makes a scene, in every form', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.constantFrom(1, 16 / 9, 9 / 16),
      (prompt, aspect) => {
        const svg = drawn(prompt, { aspect, seconds: 3 })
        assert.doesNotMatch(svg, /NaN|undefined|Infinity/)
        assert.match(svg, /ATELIER DEMO/)
      },
    ),
    { numRuns: rounds(150) },
  )
})

test('a film starts where the still is, and moves on from there', () => {
  for (const prompt of ['waves', 'a city', 'a forest', 'a door']) {
    const scene = composeScene({ prompt, aspect: 1, finish: 'plain' })
    assert.ok(
      scene.layers.some((layer) => typeof layer !== 'string'),
      prompt,
    )
    assert.notEqual(drawn(prompt, { seconds: 2 }), drawn(prompt), prompt)
  }
  const [moved] = drawn('a city').match(/translate\([^)]*\)/) ?? []
  assert.equal(moved, 'translate(0 0)')
})
