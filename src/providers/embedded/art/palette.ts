import { mix, oklch } from './color.ts'

/** Colours with a role each, so that every style can use every palette. */
export type Palette = {
  /** From the top of the picture down to the horizon. */
  sky: readonly [string, string, string]
  /** Sun, moon, stars, lit windows. */
  light: string
  /** Distant shapes; nearer ones run from here to `near`. */
  far: string
  near: string
  accent: string
  second: string
}

const palette = (
  sky: [string, string, string],
  light: string,
  [far, near]: [string, string],
  [accent, second]: [string, string],
): Palette => ({ sky, light, far, near, accent, second })

export const palettes = {
  sunset: palette(
    ['#2a1a4f', '#b9436f', '#ffb460'],
    '#fff0c9',
    ['#b3557c', '#1b1033'],
    ['#ff6b57', '#ffd27a'],
  ),
  dawn: palette(
    ['#7f9be0', '#f2bfca', '#ffe7c2'],
    '#fffaf0',
    ['#c6b3d8', '#3b3763'],
    ['#ff8f70', '#7fb7be'],
  ),
  day: palette(
    ['#3b8ade', '#8fcbf6', '#eaf7ff'],
    '#fff6d8',
    ['#a5cfe0', '#17494f'],
    ['#ff9f43', '#2fa67c'],
  ),
  night: palette(
    ['#060a22', '#152150', '#40508f'],
    '#f6f2df',
    ['#34447f', '#050718'],
    ['#f2c14e', '#7aa2f7'],
  ),
  ocean: palette(
    ['#1b5c8f', '#62b4cf', '#e4f5ef'],
    '#fff8e2',
    ['#57b3c4', '#05304c'],
    ['#ff8b5e', '#f7d488'],
  ),
  forest: palette(
    ['#8fbf9f', '#c9e0b8', '#f5f1d2'],
    '#fffbe0',
    ['#a3c7a2', '#0e2c1e'],
    ['#ef9b4a', '#d9534f'],
  ),
  desert: palette(
    ['#e98a5b', '#f6c48d', '#fdebc8'],
    '#fff5dc',
    ['#e5ab6c', '#5e2619'],
    ['#2f9c95', '#d1495b'],
  ),
  winter: palette(
    ['#9dbbdc', '#d5e4f1', '#f7fafc'],
    '#ffffff',
    ['#c3d6e8', '#2b4767'],
    ['#e4572e', '#5fa8d3'],
  ),
  storm: palette(
    ['#222a37', '#4e5d70', '#a9b5c0'],
    '#eef3f6',
    ['#7b8a99', '#141a23'],
    ['#f4d35e', '#5c9ead'],
  ),
  blossom: palette(
    ['#f5b5c8', '#fbdbe0', '#fff6ea'],
    '#fffdf7',
    ['#eab3c6', '#5b3358'],
    ['#e8577e', '#79b791'],
  ),
  autumn: palette(
    ['#d96f3c', '#f3b061', '#fdecc8'],
    '#fff4d6',
    ['#dd9555', '#43190f'],
    ['#b3261e', '#5b8e7d'],
  ),
  space: palette(
    ['#05030f', '#1b0f3d', '#4a2477'],
    '#fdf6ff',
    ['#4c3a86', '#0a0618'],
    ['#ff7ac6', '#62d6e8'],
  ),
  aurora: palette(
    ['#050d24', '#0b3a52', '#2f7f86'],
    '#eafff4',
    ['#2d6f78', '#041018'],
    ['#4be3a0', '#9a6bff'],
  ),
  neon: palette(
    ['#0b0221', '#3a0d6b', '#ff3c9a'],
    '#fef6ff',
    ['#7b2fbe', '#0a0118'],
    ['#16e0d3', '#ffd319'],
  ),
  candy: palette(
    ['#a8c8ff', '#e2ccff', '#ffe3ec'],
    '#ffffff',
    ['#c7b8f2', '#4b3f72'],
    ['#ff8fab', '#5ed1b2'],
  ),
  retro: palette(
    ['#1d3c4e', '#e9c46a', '#f7e3b0'],
    '#fff4dc',
    ['#e08e45', '#20313d'],
    ['#d1495b', '#2a9d8f'],
  ),
  fire: palette(
    ['#1c0508', '#8f1d14', '#ff9c3a'],
    '#ffe9a8',
    ['#c0391b', '#160404'],
    ['#ffce45', '#ff5a36'],
  ),
  gold: palette(
    ['#14110d', '#4c3a1a', '#d8ad4f'],
    '#fff0c4',
    ['#a07d33', '#120e08'],
    ['#f0c75e', '#f7ead0'],
  ),
  mono: palette(
    ['#2a2c30', '#86898f', '#eceae5'],
    '#ffffff',
    ['#a3a5aa', '#141518'],
    ['#d64933', '#5b5e66'],
  ),
} satisfies Record<string, Palette>

export type PaletteName = keyof typeof palettes

/** A whole palette around one hue, for prompts that name a colour and nothing else. */
export function paletteOfHue(hue: number, chroma: number, lightness: number): Palette {
  const dark = lightness < 0.4
  const at = (l: number, share = 1, turn = 0) => oklch(l, chroma * share, hue + turn)
  return {
    sky: dark
      ? [at(0.16, 0.5), at(0.3, 0.8), at(0.55, 1, 20)]
      : [at(0.55), at(0.76, 0.8, 12), at(0.95, 0.3, 30)],
    light: at(0.97, 0.15, 40),
    far: at(dark ? 0.45 : 0.74, 0.7),
    near: at(dark ? 0.1 : 0.24, 0.5, -15),
    accent: at(0.7, 1, 150),
    second: at(0.78, 0.9, 60),
  }
}

/** `depth` 0 is the horizon, 1 right before the viewer. */
export const depthColor = (palette: Palette, depth: number): string =>
  mix(palette.far, palette.near, depth)
