import { mix } from './color.ts'
import type { Canvas, Layer } from './scene.ts'
import type { MotifName } from './subject.ts'
import { circle, horizontal, num, type Point, vertical } from './svg.ts'

/** Inks of a motif: its own colour, a second one, bright, dark. */
type Inks = { main: string; other: string; light: string; dark: string }
type Motif = { place: 'ground' | 'water' | 'sky'; size: number; draw(inks: Inks): string }

const dot = (x: number, y: number, r: number, fill: string) => circle({ x, y }, r, `fill="${fill}"`)
const shape = (d: string, fill: string) => `<path d="${d}" fill="${fill}"/>`

/** Each stands on the point 0,0 in a box about 100 high. */
const motifs: Record<MotifName, Motif> = {
  balloon: {
    place: 'sky',
    size: 24,
    draw: ({ main, other, light, dark }) =>
      `<path d="M-9 -22L-22 -44M9 -22L22 -44" stroke="${dark}" stroke-width="1.2"/>` +
      shape('M0 -36C-20 -44 -36 -58 -36 -76A36 34 0 0 1 36 -76C36 -58 20 -44 0 -36z', main) +
      shape(
        'M0 -36C-12 -46 -18 -60 -18 -77C-18 -92 -10 -106 0 -110C10 -106 18 -92 18 -77C18 -60 12 -46 0 -36z',
        other,
      ) +
      shape(
        'M0 -36C-5 -46 -6 -60 -6 -77C-6 -92 -4 -106 0 -110C4 -106 6 -92 6 -77C6 -60 5 -46 0 -36z',
        light,
      ) +
      `<rect x="-9" y="-22" width="18" height="13" rx="3" fill="${dark}"/>`,
  },
  birds: {
    place: 'sky',
    size: 20,
    draw: ({ dark }) =>
      [
        [0, -60, 1],
        [34, -84, 0.8],
        [-38, -86, 0.7],
        [66, -58, 0.6],
        [-14, -106, 0.55],
      ]
        .map(
          ([x = 0, y = 0, s = 1]) =>
            `<path d="M${x - 18 * s} ${y - 7 * s}q${10 * s} ${-8 * s} ${18 * s} ${7 * s}q${8 * s} ${-15 * s} ${18 * s} ${-7 * s}" fill="none" stroke="${dark}" stroke-width="${num(3.4 * s)}" stroke-linecap="round"/>`,
        )
        .join(''),
  },
  boat: {
    place: 'water',
    size: 30,
    draw: ({ main, light, dark }) =>
      shape('M-2 -20V-104L-2 -104L2 -104V-20z', dark) +
      shape('M-6 -100C-30 -70 -42 -46 -46 -28L-6 -28z', light) +
      shape('M6 -94C24 -70 34 -48 36 -28L6 -28z', mix(light, main, 0.35)) +
      shape('M-58 -20H56C50 -4 42 6 34 8H-36C-46 4 -54 -8 -58 -20z', main) +
      shape('M-58 -20H56L54.5 -14H-56.5z', light),
  },
  castle: {
    place: 'ground',
    size: 44,
    draw: ({ main, light, dark }) => {
      const stone = mix(light, dark, 0.32)
      return (
        shape(
          'M-46 2V-58H-40V-64H-34V-58H-28V-64H-22V-58H22V-64H28V-58H34V-64H40V-58H46V2z',
          stone,
        ) +
        shape('M-56 2V-74H-34V2zM34 2V-74H56V2zM-12 -40V-92H12V-40z', mix(stone, dark, 0.2)) +
        shape('M-60 -74L-45 -100L-30 -74zM30 -74L45 -100L60 -74zM-16 -92L0 -120L16 -92z', main) +
        shape('M-10 2V-18A10 10 0 0 1 10 -18V2z', dark) +
        shape('M-48 -56H-42V-44H-48zM42 -56H48V-44H42zM-3 -78H3V-66H-3z', '#ffd98a')
      )
    },
  },
  cat: {
    place: 'ground',
    size: 26,
    draw: ({ main, light, dark }) =>
      `<path d="M26 -6C52 -4 54 -34 42 -46" fill="none" stroke="${main}" stroke-width="9" stroke-linecap="round"/>` +
      shape('M-26 2C-32 -34 -20 -58 0 -58S32 -34 28 2z', main) +
      shape(
        'M-26 -74L-24 -104L-8 -92H8L24 -104L26 -74C26 -58 14 -50 0 -50S-26 -58 -26 -74z',
        main,
      ) +
      shape('M-9 2C-14 -22 -8 -38 0 -38S14 -22 9 2z', mix(main, light, 0.45)) +
      dot(-10, -76, 4.6, light) +
      dot(10, -76, 4.6, light) +
      dot(-10, -76, 2.2, dark) +
      dot(10, -76, 2.2, dark) +
      shape('M-3.5 -67H3.5L0 -63z', dark),
  },
  flower: {
    place: 'ground',
    size: 34,
    draw: ({ main, other, dark }) =>
      `<path d="M0 2C4 -20 -3 -40 0 -66" fill="none" stroke="#3f7d4f" stroke-width="4"/>` +
      shape(
        'M1 -14C14 -34 28 -34 34 -32C28 -18 14 -12 1 -14zM-1 -24C-12 -42 -24 -44 -30 -42C-26 -28 -14 -22 -1 -24z',
        '#3f7d4f',
      ) +
      [0, 45, 90, 135, 180, 225, 270, 315]
        .map(
          (turn) =>
            `<ellipse cx="0" cy="-92" rx="8.5" ry="18" fill="${turn % 90 === 0 ? main : mix(main, other, 0.25)}" transform="rotate(${turn} 0 -72)"/>`,
        )
        .join('') +
      dot(0, -72, 10, dark) +
      dot(0, -72, 7, mix(dark, other, 0.5)),
  },
  fox: {
    place: 'ground',
    size: 26,
    draw: ({ light, dark }) => {
      const fur = '#d9682b'
      return (
        shape('M22 0C58 6 70 -26 50 -46C52 -24 40 -22 20 -18z', fur) +
        shape('M50 -46C62 -34 62 -20 56 -12C54 -22 50 -30 44 -32z', light) +
        shape('M-22 2C-28 -30 -18 -56 0 -56S28 -30 24 2z', fur) +
        shape('M-9 2C-14 -22 -8 -44 0 -44S14 -22 9 2z', light) +
        shape('M-28 -72L-30 -106L-11 -92H11L30 -106L28 -72L0 -46z', fur) +
        shape('M-28 -72L-12 -68L0 -46zM28 -72L12 -68L0 -46z', light) +
        dot(-11, -76, 3.4, dark) +
        dot(11, -76, 3.4, dark) +
        dot(0, -50, 4, dark)
      )
    },
  },
  house: {
    place: 'ground',
    size: 30,
    draw: ({ main, light, dark }) =>
      shape('M24 -92H36V-60H24z', mix(dark, main, 0.3)) +
      shape('M-42 2V-52H42V2z', mix(light, main, 0.12)) +
      shape('M-54 -48L0 -96L54 -48z', main) +
      shape('M-8 2V-30H12V2z', dark) +
      shape('M-32 -40H-16V-22H-32zM20 -40H36V-22H20z', '#ffd98a'),
  },
  lighthouse: {
    place: 'ground',
    size: 50,
    draw: ({ main, light, dark }) =>
      `<defs>${horizontal('beam', [
        { at: 0, color: light, opacity: 0.5 },
        { at: 1, color: light, opacity: 0 },
      ])}</defs>` +
      shape('M8 -95L220 -140V-42L8 -89z', 'url(#beam)') +
      shape('M-18 2L-11 -82H11L18 2z', light) +
      shape('M-16.6 -14L-15 -34H15L16.6 -14zM-13.6 -52L-12 -70H12L13.6 -52z', main) +
      shape('M-15 -82H15V-86H-15z', dark) +
      shape('M-8 -86V-98H8V-86z', '#ffe9a8') +
      shape('M-12 -98H12L0 -112z', main),
  },
  robot: {
    place: 'ground',
    size: 32,
    draw: ({ main, other, light, dark }) =>
      `<path d="M0 -92V-106M-34 -44L-42 -22M34 -44L42 -22M-12 -10V2M12 -10V2" stroke="${dark}" stroke-width="6" stroke-linecap="round"/>` +
      dot(0, -108, 5, other) +
      `<rect x="-26" y="-50" width="52" height="42" rx="9" fill="${main}"/><rect x="-30" y="-94" width="60" height="40" rx="12" fill="${mix(main, light, 0.4)}"/><rect x="-22" y="-86" width="44" height="22" rx="9" fill="${dark}"/>` +
      dot(-10, -75, 5, other) +
      dot(10, -75, 5, other) +
      `<rect x="-12" y="-40" width="24" height="14" rx="4" fill="${dark}"/>` +
      dot(-5, -33, 2.6, light) +
      dot(5, -33, 2.6, other),
  },
  rocket: {
    place: 'sky',
    size: 30,
    draw: ({ main, other, light, dark }) =>
      `<g transform="rotate(24 0 -50)">${
        shape('M-9 -14C-14 6 -4 18 0 34C4 18 14 6 9 -14z', other) +
        shape('M-4 -14C-6 0 -2 8 0 18C2 8 6 0 4 -14z', light) +
        shape('M-14 -40L-30 -14L-12 -18zM14 -40L30 -14L12 -18z', main) +
        shape('M0 -108C-16 -92 -20 -66 -16 -16H16C20 -66 16 -92 0 -108z', light) +
        shape('M0 -108C-9 -99 -14 -88 -16.6 -76H16.6C14 -88 9 -99 0 -108z', main) +
        dot(0, -58, 8.5, dark) +
        dot(0, -58, 6, other)
      }</g>`,
  },
  tree: {
    place: 'ground',
    size: 46,
    draw: ({ main, other, dark }) =>
      shape('M-5 4C-4 -20 -4 -34 -7 -48L0 -40L8 -52C4 -34 4 -20 6 4z', mix(dark, '#5a3a22', 0.5)) +
      dot(-20, -58, 22, mix(main, dark, 0.25)) +
      dot(20, -60, 23, mix(main, dark, 0.15)) +
      dot(0, -78, 27, main) +
      dot(-10, -62, 17, mix(main, other, 0.25)) +
      dot(9, -88, 12, mix(main, other, 0.35)),
  },
  whale: {
    place: 'water',
    size: 30,
    draw: ({ light, dark }) =>
      `<path d="M-26 -66C-26 -84 -42 -86 -44 -76M-26 -66C-26 -84 -10 -86 -8 -76" fill="none" stroke="${light}" stroke-width="4" stroke-linecap="round"/>` +
      shape(
        'M-74 -6C-76 -40 -50 -58 -18 -58C24 -58 40 -26 70 -26C76 -40 70 -50 62 -56C76 -58 84 -52 86 -42C92 -50 102 -52 110 -46C104 -36 94 -30 86 -30C80 -4 60 10 0 10C-40 10 -72 8 -74 -6z',
        mix(dark, '#3f6f9a', 0.75),
      ) +
      shape('M-74 -6C-50 2 -20 0 4 -8C-6 6 -20 10 -30 10C-56 10 -72 6 -74 -6z', light) +
      dot(-46, -20, 3.6, dark),
  },
}

/** Puts the things the prompt names into the scene, before or among its layers. */
export function addMotifs(canvas: Canvas, layers: Layer[]): Layer[] {
  return canvas.subject.motifs.reduce((scene, name, index) => {
    const motif = motifs[name]
    const layer = layerOf(canvas, name, motif, index)
    // Before a boat there is still water.
    const from = motif.place === 'water' ? scene.length - 2 : scene.length
    return [...scene.slice(0, from), layer, ...scene.slice(from)]
  }, layers)
}

function layerOf(
  canvas: Canvas,
  name: MotifName,
  { place, size, draw }: Motif,
  index: number,
): Layer {
  const { width, height, unit, random, subject } = canvas
  const { accent, second, light, near } = subject.palette
  const scale = (size * unit * (name === 'birds' ? 1 : random.between(0.95, 1.1))) / 100
  const first = subject.style === 'space' ? 0.68 : random.pick([0.34, 0.5, 0.66])
  const side = (index === 0 ? first : 0.2) * width
  const feet = { ground: 0.77, water: 0.74, sky: random.between(0.36, 0.48) }[place] * height
  const green = name === 'tree' ? mix('#4f8f4a', accent, 0.25) : accent
  const inks = { main: green, other: second, light, dark: mix(near, '#000000', 0.3) }
  const drawing = `<g transform="translate(${num(side)} ${num(feet)}) scale(${scale.toFixed(3)})">${draw(inks)}</g>`
  const bob = {
    rx: unit * 0.8,
    ry: unit * (place === 'ground' ? 0 : 1),
    turnsPerSecond: 0.3,
    phase: 0,
  }
  if (place === 'ground') return { svg: mound(canvas, { x: side, y: feet }) + drawing }
  return {
    svg: drawing,
    motion: {
      orbit: bob,
      ...(place === 'sky' ? { drift: { x: unit * 1.4, y: -unit * 0.6 } } : {}),
    },
  }
}

/** Something to stand on, whatever the style. */
function mound({ width, height, unit, subject }: Canvas, { x, y }: Point): string {
  const { near, far } = subject.palette
  const fill = vertical('mound', [
    { at: 0, color: mix(near, far, 0.16) },
    { at: 1, color: near },
  ])
  const reach = Math.max(width * 0.75, 60 * unit)
  return `<defs>${fill}</defs><path fill="url(#mound)" d="M${num(x - reach)} ${num(height + 5)}C${num(x - reach * 0.45)} ${num(height)} ${num(x - reach * 0.3)} ${num(y)} ${num(x)} ${num(y)}S${num(x + reach * 0.45)} ${num(height)} ${num(x + reach)} ${num(height + 5)}z"/>`
}
