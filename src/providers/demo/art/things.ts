import { type Canvas, circle, type Layer, num, shape, sway, vertical } from './canvas.ts'
import { mix } from './palette.ts'

type Ink = 'main' | 'pale' | 'light' | 'dark' | 'lamp' | 'beam'
type ThingName = Canvas['subject']['things'][number]

/** Shapes from back to front. Each thing stands on the point 0,0 in a box about 100 high. */
const things: Record<ThingName, readonly (readonly [Ink, string])[]> = {
  lighthouse: [
    ['beam', 'M8 -95L230 -146V-36L8 -89zM-8 -95L-150 -118V-66L-8 -89z'],
    ['light', 'M-18 2L-11 -82H11L18 2z'],
    ['main', 'M-16.6 -14L-15 -34H15L16.6 -14zM-13.6 -52L-12 -70H12L13.6 -52zM-12 -98H12L0 -112z'],
    ['dark', 'M-15 -82H15V-86H-15zM-4 2V-9A4 4 0 0 1 4 -9V2z'],
    ['lamp', 'M-8 -86V-98H8V-86z'],
  ],
  boat: [
    ['dark', 'M-2 -20V-106H2V-20z'],
    ['pale', 'M6 -96C24 -70 34 -48 36 -28L6 -28z'],
    ['main', 'M-58 -20H56C50 -4 42 6 34 8H-36C-46 4 -54 -8 -58 -20z'],
    ['light', 'M-58 -20H56L54.5 -14H-56.5zM-6 -102C-30 -70 -42 -46 -46 -28L-6 -28z'],
  ],
  house: [
    ['light', 'M-42 2V-52H42V2z'],
    ['main', 'M-54 -48L0 -96L54 -48z'],
    ['dark', 'M-8 2V-30H12V2zM22 -92H34V-58H22z'],
    ['lamp', 'M-32 -40H-16V-22H-32zM20 -40H36V-22H20z'],
  ],
}

/** A thing that the prompt names. A boat floats; anything else gets its own hill in any scene. */
export function drawThing(canvas: Canvas, name: ThingName, index: number): Layer {
  const { width, height, unit, random, subject } = canvas
  const { accent: main, light, far, near } = subject.palette
  const [pale, dark] = [mix(light, main, 0.4), mix(near, '#000000', 0.3)]
  const inks = { main, light, pale, dark, lamp: '#ffd98a', beam: light }
  const shapes = things[name].map(([ink, d]) => shape(d, inks[ink], ink === 'beam' ? 0.16 : 1))
  const [x, y] = [width * (index > 0 ? 0.22 : random.pick([0.36, 0.5, 0.64])), height * 0.76]
  const scale = (name === 'lighthouse' ? 0.47 : 0.28) * unit
  const svg = `<g transform="translate(${num(x)} ${num(y)}) scale(${num(scale)})">${shapes.join('')}</g>`
  if (name === 'boat') return sway(svg, { x: unit * 0.8, y: unit * 0.5, period: 3.3 })
  const hill = vertical('hill', [0, mix(near, far, 0.16)], [0.3, near])
  return hill + circle({ x, y: y + 70 * unit }, 70 * unit, 'url(#hill)') + svg
}
