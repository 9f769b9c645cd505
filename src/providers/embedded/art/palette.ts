import { lightness, mix } from './color.ts'

/** Colours with a role each, so that every scene can use every palette. */
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
  const [
    top = '',
    middle = '',
    low = '',
    light = '',
    far = '',
    near = '',
    accent = '',
    second = '',
  ] = colors.split(' ')
  return { sky: [top, middle, low], light, far, near, accent, second }
}

export const palettes = {
  sunset: palette('#2a1a4f #b9436f #ffb460 #fff0c9 #b3557c #1b1033 #ff6b57 #ffd27a'),
  dawn: palette('#7f9be0 #f2bfca #ffe7c2 #fffaf0 #c6b3d8 #3b3763 #ff8f70 #7fb7be'),
  day: palette('#3b8ade #8fcbf6 #eaf7ff #fff6d8 #a5cfe0 #17494f #ff9f43 #2fa67c'),
  night: palette('#060a22 #152150 #40508f #f6f2df #34447f #050718 #f2c14e #7aa2f7'),
  ocean: palette('#1b5c8f #62b4cf #e4f5ef #fff8e2 #57b3c4 #05304c #ff8b5e #f7d488'),
  forest: palette('#8fbf9f #c9e0b8 #f5f1d2 #fffbe0 #a3c7a2 #0e2c1e #ef9b4a #d9534f'),
  desert: palette('#e98a5b #f6c48d #fdebc8 #fff5dc #e5ab6c #5e2619 #2f9c95 #d1495b'),
  winter: palette('#5f95cc #a9cbe8 #e3eff8 #ffffff #8fb3d4 #233f60 #e4572e #5fa8d3'),
  storm: palette('#222a37 #4e5d70 #a9b5c0 #eef3f6 #7b8a99 #141a23 #f4d35e #5c9ead'),
  autumn: palette('#d96f3c #f3b061 #fdecc8 #fff4d6 #dd9555 #43190f #b3261e #5b8e7d'),
  space: palette('#05030f #1b0f3d #4a2477 #fdf6ff #4c3a86 #0a0618 #ff7ac6 #62d6e8'),
  neon: palette('#0b0221 #3a0d6b #ff3c9a #fef6ff #7b2fbe #0a0118 #16e0d3 #ffd319'),
  pastel: palette('#a8c8ff #e2ccff #ffe3ec #ffffff #c7b8f2 #4b3f72 #ff8fab #5ed1b2'),
  retro: palette('#1d3c4e #e9c46a #f7e3b0 #fff4dc #e08e45 #20313d #d1495b #2a9d8f'),
  gold: palette('#14110d #4c3a1a #d8ad4f #fff0c4 #a07d33 #120e08 #f0c75e #f7ead0'),
  mono: palette('#5a5d63 #b4b6ba #f0eeea #ffffff #b9babd #1a1b1f #d64933 #8b8e95'),
} satisfies Record<string, Palette>

export type PaletteName = keyof typeof palettes

/** A whole palette around one colour; a second one, where there is one, sets the accents. */
export function paletteAround(color: string, other?: string): Palette {
  const isDark = lightness(color) < 0.4
  const accent = other ?? mix(color, isDark ? '#ffd27a' : '#ffffff', isDark ? 0.8 : 0.72)
  return {
    sky: [mix(color, '#000000', 0.28), color, mix(color, '#fff7e8', isDark ? 0.35 : 0.6)],
    light: '#fff7e8',
    far: mix(color, '#ffffff', isDark ? 0.25 : 0.4),
    near: mix(color, '#07070f', 0.78),
    accent,
    second: mix(accent, color, 0.45),
  }
}

/** `depth` 0 is the horizon, 1 right before the viewer. */
export const depthColor = ({ far, near }: Palette, depth: number): string => mix(far, near, depth)
