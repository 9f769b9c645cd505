import { mix } from './color.ts'
import { type Canvas, type Layer, sway } from './scene.ts'
import type { ThingName } from './subject.ts'
import { circle, ellipse, line, num, type Point, shape, vertical } from './svg.ts'

/** The colour of the thing itself, bright and dark. */
type Inks = { main: string; light: string; dark: string }
type Thing = { at: 'ground' | 'water'; size: number; draw(inks: Inks): string }

const dot = (x: number, y: number, radius: number, fill: string) => circle({ x, y }, radius, fill)
const lamp = '#ffd98a'

/** Each stands on the point 0,0 in a box about 100 high. */
const things: Record<ThingName, Thing> = {
  lighthouse: {
    at: 'ground',
    size: 52,
    draw: ({ main, light, dark }) =>
      shape(
        'M8 -95L230 -146V-36L8 -89zM-8 -95L-150 -118V-66L-8 -89z',
        light,
        'fill-opacity="0.16"',
      ) +
      shape('M-18 2L-11 -82H11L18 2z', mix(light, dark, 0.06)) +
      shape('M2 2L1.5 -82H11L18 2z', dark, 'fill-opacity="0.1"') +
      shape('M-16.6 -14L-15 -34H15L16.6 -14zM-13.6 -52L-12 -70H12L13.6 -52z', main) +
      shape('M-15 -82H15V-86H-15zM-4 2V-9A4 4 0 0 1 4 -9V2z', dark) +
      shape('M-8 -86V-98H8V-86z', lamp) +
      shape('M-12 -98H12L0 -112z', main),
  },
  boat: {
    at: 'water',
    size: 32,
    draw: ({ main, light, dark }) =>
      shape('M-2 -20V-106H2V-20z', dark) +
      shape('M-6 -102C-30 -70 -42 -46 -46 -28L-6 -28z', light) +
      shape('M6 -96C24 -70 34 -48 36 -28L6 -28z', mix(light, main, 0.35)) +
      shape('M-58 -20H56C50 -4 42 6 34 8H-36C-46 4 -54 -8 -58 -20z', main) +
      shape('M-58 -20H56L54.5 -14H-56.5z', light),
  },
  house: {
    at: 'ground',
    size: 30,
    draw: ({ main, light, dark }) =>
      shape('M22 -92H34V-60H22z', mix(dark, main, 0.3)) +
      shape('M-42 2V-52H42V2z', mix(light, main, 0.12)) +
      shape('M-54 -48L0 -96L54 -48z', main) +
      shape('M-8 2V-30H12V2z', dark) +
      shape('M-32 -40H-16V-22H-32zM20 -40H36V-22H20z', lamp),
  },
  cat: {
    at: 'ground',
    size: 42,
    draw: ({ main, light, dark }) =>
      line('M26 -6C52 -4 54 -34 42 -46', main, 9) +
      shape('M-26 2C-32 -34 -20 -58 0 -58S32 -34 28 2z', main) +
      shape(
        'M-26 -74L-24 -104L-8 -92H8L24 -104L26 -74C26 -58 14 -50 0 -50S-26 -58 -26 -74z',
        main,
      ) +
      shape('M-9 2C-14 -22 -8 -38 0 -38S14 -22 9 2z', mix(main, light, 0.45)) +
      line('M-15 -76q5 4 10 0M5 -76q5 4 10 0', dark, 2.6) +
      shape('M-3.5 -68H3.5L0 -64z', dark) +
      line('M-20 -64l-14 -3M-20 -60l-14 2M20 -64l14 -3M20 -60l14 2', mix(main, dark, 0.6), 1.2),
  },
  cup: {
    at: 'ground',
    size: 40,
    draw: ({ main, light, dark }) =>
      line('M-8 -66c-7 -9 7 -14 0 -24M9 -66c-7 -9 7 -14 0 -24', light, 3, 'stroke-opacity="0.7"') +
      ellipse({ x: 0, y: 1 }, 46, 6.5, mix(main, light, 0.5)) +
      line('M29 -46C54 -48 52 -14 25 -16', main, 7) +
      shape('M-32 -54H32C32 -20 24 0 14 0H-14C-24 0 -32 -20 -32 -54z', main) +
      shape('M12 -54H32C32 -20 24 0 14 0H4C12 -10 14 -34 12 -54z', dark, 'fill-opacity="0.14"') +
      ellipse({ x: 0, y: -54 }, 32, 6.5, mix(main, light, 0.45)) +
      ellipse({ x: 0, y: -53.4 }, 27, 4.8, '#4a2c1a'),
  },
  bicycle: {
    at: 'ground',
    size: 46,
    draw: ({ main, dark }) =>
      line(
        'M-60 -24a22 22 0 1 0 44 0a22 22 0 1 0 -44 0M16 -24a22 22 0 1 0 44 0a22 22 0 1 0 -44 0',
        dark,
        3,
      ) +
      line('M-38 -24H-4M-4 -24l-3 8M28 -76L27 -82H38M-25 -72H-11', dark, 3) +
      line(
        'M-38 -24L-18 -64H26L-4 -24zM-18 -64L-4 -24M26 -64L38 -24M26 -64L24 -78M-18 -64V-71',
        main,
        4,
      ) +
      dot(-4, -24, 5, dark),
  },
}

/** Puts what the prompt names into the scene: afloat among the waves, else before everything. */
export function withThings(canvas: Canvas, scene: Layer[]): Layer[] {
  const { things: names, place } = canvas.subject
  return names.reduce((layers, name, index) => {
    const isAfloat = place === 'sea' && things[name].at === 'water'
    return layers.toSpliced(isAfloat ? -2 : layers.length, 0, layerOf(canvas, name, index))
  }, scene)
}

function layerOf(canvas: Canvas, name: ThingName, index: number): Layer {
  const { width, height, unit, random, subject } = canvas
  const { accent, light, near } = subject.palette
  const { at, size, draw } = things[name]
  const isInside = subject.place === 'room'
  const column = isInside ? 0.52 : random.pick([0.36, 0.5, 0.64])
  const feet = {
    x: (index > 0 ? 0.22 : column) * width,
    y: (at === 'water' ? 0.73 : 0.77) * height,
  }
  const inks = { main: accent, light, dark: mix(near, '#000000', 0.3) }
  const scale = (size * unit * (isInside ? 1 : 0.9)) / 100
  const svg = `<g transform="translate(${num(feet.x)} ${num(feet.y)}) scale(${scale.toFixed(3)})">${draw(inks)}</g>`
  if (at === 'water') return sway(svg, { x: unit * 0.8, y: unit, period: 3.3 })
  return (isInside ? shadow(feet, size * unit) : mound(canvas, feet)) + svg
}

const shadow = (feet: Point, size: number) =>
  ellipse(feet, size * 0.55, size * 0.06, '#000000', 'fill-opacity="0.22"')

/** A hill to stand on, whatever the scene. */
function mound({ width, height, unit, subject }: Canvas, { x, y }: Point): string {
  const { near, far } = subject.palette
  const reach = Math.max(width * 0.75, 60 * unit)
  const slope = `M${num(x - reach)} ${num(height + 5)}C${num(x - reach * 0.45)} ${num(height)} ${num(x - reach * 0.3)} ${num(y)} ${num(x)} ${num(y)}S${num(x + reach * 0.45)} ${num(height)} ${num(x + reach)} ${num(height + 5)}z`
  return vertical('mound', [0, mix(near, far, 0.16)], [1, near]) + shape(slope, 'url(#mound)')
}
