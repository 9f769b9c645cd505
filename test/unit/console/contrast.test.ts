import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const sheet = readFileSync(
  new URL('../../../console/src/styles/tokens.css', import.meta.url),
  'utf8',
)
type Theme = 'light' | 'dark'

/** Each token's two colours, as the sheet has them. */
const tokens = new Map(
  [...sheet.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }],
  ),
)
const colour = (name: string, theme: Theme): string =>
  tokens.get(name)?.[theme] ?? assert.fail(name)

/** WCAG 2.2, relative luminance. */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (high + 0.05) / (low + 0.05)
}

for (const theme of ['light', 'dark'] as const) {
  const on = (ink: string, ground: string) => contrast(colour(ink, theme), colour(ground, theme))

  test(`words stand out from every ground in ${theme}`, () => {
    for (const ink of ['ink', 'soft', 'accent', 'good', 'warn', 'bad', 'info'])
      for (const ground of ['paper', 'card', 'sunken'])
        assert.ok(on(ink, ground) >= 4.5, `${ink} on ${ground}: ${on(ink, ground)}`)
    assert.ok(on('on-accent', 'accent') >= 4.5)
  })

  test(`words and signs of a difference stand out from their ground in ${theme}`, () => {
    for (const [ground, sign] of [
      ['add', 'good'],
      ['cut', 'bad'],
    ] as const) {
      // As they are designed, to one decimal.
      assert.ok(Number(on('ink', ground).toFixed(1)) >= 11.5, `ink: ${on('ink', ground)}`)
      assert.ok(Number(on(sign, ground).toFixed(1)) >= 5.5, `${sign}: ${on(sign, ground)}`)
    }
  })

  test(`borders of controls, ports and chart series can be seen in ${theme}`, () => {
    const names = [...tokens.keys()].filter((name) => /^(control|port-|series-)/.test(name))
    assert.equal(names.length, 17)
    for (const name of names)
      for (const ground of ['paper', 'card'])
        assert.ok(on(name, ground) >= 3, `${name} on ${ground}: ${on(name, ground)}`)
  })
}
