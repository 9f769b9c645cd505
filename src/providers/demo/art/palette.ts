/** Matches whole words, except in scripts that put no spaces between words. */
export const anyOf = (words: string) => new RegExp(`(?<![a-z])(?:${words})(?![a-z])`, 'iu')

/**
 * Each colour has a role, so that every scene can use every palette: three for the sky from the
 * top down to the horizon; one for the light of sun, moon, foam and windows; one for what is far,
 * one for what is near; and two accents. After them come the words in a prompt that select it.
 */
function palette(row: string) {
  const at = (index: number) => row.slice(index * 8, index * 8 + 7)
  const sky = [at(0), at(1), at(2)] as const
  const inks = { light: at(3), far: at(4), near: at(5), accent: at(6), second: at(7) }
  return { sky, ...inks, words: anyOf(row.slice(64)) }
}

export type Palette = ReturnType<typeof palette>

/** If a prompt asks for several, the first of this list is used. */
const rows = {
  neon: `#0b0221 #3a0d6b #ff3c9a #fef6ff #7b2fbe #0a0118 #16e0d3 #ffd319 neon|cyberpunk|synthwave|disco`,
  sunset: `#2a1a4f #b9436f #ffb460 #fff0c9 #b3557c #1b1033 #ff6b57 #ffd27a sunsets?|dusk|evening|twilight|golden hour|abend|soir|atardecer`,
  dawn: `#7f9be0 #f2bfca #ffe7c2 #fffaf0 #c6b3d8 #3b3763 #ff8f70 #7fb7be dawn|sunrise|mornings?|morgen|matin`,
  night: `#060a22 #18265c #4c5fa6 #f6f2df #41539a #070a20 #f2c14e #7aa2f7 nights?|midnight|moon(lit|light)?|starry|galaxy|nebula|cosmos|(outer|deep) space|dark|nacht|nuit|noche|夜`,
  storm: `#222a37 #4e5d70 #a9b5c0 #eef3f6 #7b8a99 #141a23 #f4d35e #5c9ead storm[sy]?|rain(s|y|ing)?|thunder(storm)?|regen|pluie`,
  day: `#3b8ade #8fcbf6 #eaf7ff #fff6d8 #a5cfe0 #17494f #ff9f43 #2fa67c daylight|noon|sunny|summer|bright`,
  winter: `#5f95cc #a9cbe8 #e3eff8 #ffffff #8fb3d4 #233f60 #e4572e #5fa8d3 winter|snow(s|y|ing)?|icy|frozen|frost|arctic|schnee|neige|雪`,
  autumn: `#d96f3c #f3b061 #fdecc8 #fff4d6 #dd9555 #43190f #b3261e #5b8e7d autumn|october|harvest|herbst|automne|秋`,
  desert: `#e98a5b #f6c48d #fdebc8 #fff5dc #e5ab6c #5e2619 #2f9c95 #d1495b deserts?|dunes?|sahara`,
  forest: `#8fbf9f #c9e0b8 #f5f1d2 #fffbe0 #a3c7a2 #0e2c1e #ef9b4a #d9534f forests?|jungle|wood(s|land)|gardens?|meadows?|green hills|nature`,
  ocean: `#1b5c8f #62b4cf #e4f5ef #fff8e2 #57b3c4 #05304c #ff8b5e #f7d488 underwater|tropical|oceans?|beach(es)?`,
  retro: `#1d3c4e #e9c46a #f7e3b0 #fff4dc #e08e45 #20313d #d1495b #2a9d8f retro|vintage|seventies|70s|bauhaus|jazz|bold`,
  pastel: `#a8c8ff #e2ccff #ffe3ec #ffffff #c7b8f2 #4b3f72 #ff8fab #5ed1b2 pastel|candy|cute|dreamy|kawaii|watercolou?rs?|spring`,
  mono: `#5a5d63 #b4b6ba #f0eeea #ffffff #b9babd #1a1b1f #d64933 #8b8e95 monochrome|gr[ae]yscale|minimal(ist)?|ink|sketch|noir|marble|水墨`,
}

export type PaletteName = keyof typeof rows
export const paletteNames = Object.keys(rows) as PaletteName[]
export const palettes = Object.fromEntries(
  paletteNames.map((name) => [name, palette(rows[name])]),
) as Record<PaletteName, Palette>

/** The sky, the ground and everything else in shades of one colour. */
export function inShadesOf(color: string, palette: Palette): Palette {
  const light = '#fff7e8'
  const sky = [mix(color, '#000000', 0.3), color, mix(color, light, 0.7)] as const
  const [far, near] = [mix(color, '#ffffff', 0.4), mix(color, '#07070f', 0.78)]
  const [accent, second] = [mix(color, light, 0.75), mix(color, light, 0.35)]
  return { ...palette, sky, light, far, near, accent, second }
}

const channelsOf = (hex: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))

/** `share` 0 is `from`, 1 is `to`. */
export function mix(from: string, to: string, share: number): string {
  const target = channelsOf(to)
  const bytes = channelsOf(from).map((value, i) => value + ((target[i] ?? 0) - value) * share)
  return `#${bytes.map((byte) => Math.round(byte).toString(16).padStart(2, '0')).join('')}`
}
