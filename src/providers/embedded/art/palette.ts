/** Colours with a role each, so that every scene can use every palette. All are #rrggbb. */
export type Palette = {
  /** From the top of the picture down to the horizon. */
  sky: readonly [string, string, string]
  /** Sun, moon, stars, foam, lit windows. */
  light: string
  /** Distant shapes; nearer ones run from here to `near`. */
  far: string
  near: string
  accent: string
  second: string
}

/** Eight colours: three of the sky, light, far, near, accent, second. */
function palette(colors: string): Palette {
  const at = (index: number) => colors.slice(index * 8, index * 8 + 7)
  const sky = [at(0), at(1), at(2)] as const
  return { sky, light: at(3), far: at(4), near: at(5), accent: at(6), second: at(7) }
}

export const palettes = {
  neon: palette('#0b0221 #3a0d6b #ff3c9a #fef6ff #7b2fbe #0a0118 #16e0d3 #ffd319'),
  sunset: palette('#2a1a4f #b9436f #ffb460 #fff0c9 #b3557c #1b1033 #ff6b57 #ffd27a'),
  dawn: palette('#7f9be0 #f2bfca #ffe7c2 #fffaf0 #c6b3d8 #3b3763 #ff8f70 #7fb7be'),
  night: palette('#060a22 #18265c #4c5fa6 #f6f2df #41539a #070a20 #f2c14e #7aa2f7'),
  storm: palette('#222a37 #4e5d70 #a9b5c0 #eef3f6 #7b8a99 #141a23 #f4d35e #5c9ead'),
  day: palette('#3b8ade #8fcbf6 #eaf7ff #fff6d8 #a5cfe0 #17494f #ff9f43 #2fa67c'),
  winter: palette('#5f95cc #a9cbe8 #e3eff8 #ffffff #8fb3d4 #233f60 #e4572e #5fa8d3'),
  autumn: palette('#d96f3c #f3b061 #fdecc8 #fff4d6 #dd9555 #43190f #b3261e #5b8e7d'),
  desert: palette('#e98a5b #f6c48d #fdebc8 #fff5dc #e5ab6c #5e2619 #2f9c95 #d1495b'),
  forest: palette('#8fbf9f #c9e0b8 #f5f1d2 #fffbe0 #a3c7a2 #0e2c1e #ef9b4a #d9534f'),
  ocean: palette('#1b5c8f #62b4cf #e4f5ef #fff8e2 #57b3c4 #05304c #ff8b5e #f7d488'),
  retro: palette('#1d3c4e #e9c46a #f7e3b0 #fff4dc #e08e45 #20313d #d1495b #2a9d8f'),
  pastel: palette('#a8c8ff #e2ccff #ffe3ec #ffffff #c7b8f2 #4b3f72 #ff8fab #5ed1b2'),
  mono: palette('#5a5d63 #b4b6ba #f0eeea #ffffff #b9babd #1a1b1f #d64933 #8b8e95'),
} satisfies Record<string, Palette>

export type PaletteName = keyof typeof palettes

/** The hour and the weather make the sky; the season shows on the ground. */
export function onGround(air: Palette, { far, near }: Palette): Palette {
  return { ...air, far: mix(air.far, far, 0.4), near: mix(air.near, near, 0.3) }
}

/** A whole palette around one colour; a second one, where there is one, sets the accents. */
export function paletteAround(color: string, other?: string): Palette {
  const isDark = lightness(color) < 0.4
  const accent = other ?? mix(color, isDark ? '#ffd27a' : '#ffffff', 0.75)
  return {
    sky: [mix(color, '#000000', 0.28), color, mix(color, '#fff7e8', isDark ? 0.35 : 0.6)],
    light: '#fff7e8',
    far: mix(color, '#ffffff', isDark ? 0.25 : 0.4),
    near: mix(color, '#07070f', 0.78),
    accent,
    second: mix(accent, color, 0.45),
  }
}

const channelsOf = (hex: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))

/** `share` 0 is `from`, 1 is `to`. */
export function mix(from: string, to: string, share: number): string {
  const target = channelsOf(to)
  const bytes = channelsOf(from).map((value, i) => value + ((target[i] ?? 0) - value) * share)
  return `#${bytes.map((byte) => Math.round(byte).toString(16).padStart(2, '0')).join('')}`
}

/** From 0, black, to 1, white, about as the eye judges it. */
export function lightness(hex: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(hex)
  return (0.3 * red + 0.59 * green + 0.11 * blue) / 255
}
