import { mix } from '../color.ts'
import { type Canvas, type Layer, overscan, type Style } from '../scene.ts'
import { sky, stars } from '../sky.ts'
import { circle, glow, num, vertical } from '../svg.ts'

/** Veils of light that flow over a soft ground. */
export const ribbons: Style = (canvas) => {
  const { subject, height } = canvas
  return [
    sky(canvas),
    ...spots(canvas),
    ...(subject.night ? stars(canvas, height) : []),
    ...Array.from({ length: 6 }, (_, i) => ribbon(canvas, i)),
  ]
}

function spots({ width, height, unit, random, subject }: Canvas): Layer[] {
  const { accent, second, light } = subject.palette
  return [accent, second, light].map((color, i) => {
    const at = { x: random.between(0.1, 0.9) * width, y: random.between(0.1, 0.9) * height }
    return {
      svg: `<defs>${glow(`spot${i}`, color, 0.65)}</defs>${circle(at, unit * random.between(45, 75), `fill="url(#spot${i})"`)}`,
      motion: { pulse: { depth: 0.6, turnsPerSecond: 0.2, phase: random.next() } },
    }
  })
}

function ribbon({ width, height, unit, random, subject }: Canvas, i: number): Layer {
  const { accent, second, sky: colors, light } = subject.palette
  const color = mix(
    random.pick([accent, second, colors[1], colors[2]]),
    light,
    random.between(0, 0.3),
  )
  const id = `ribbon${i}`
  const fill = vertical(id, [
    { at: 0, color: mix(color, light, 0.5), opacity: 0.9 },
    { at: 0.3, color, opacity: 0.6 },
    { at: 1, color, opacity: 0 },
  ])
  const base = height * (0.16 + i * 0.125)
  const [long, tall] = [unit * random.between(40, 75), unit * random.between(7, 15)]
  const phase = random.between(0, 6.28)
  const slope = random.between(-0.18, 0.18)
  const edge = (shift: number, lift: number) => {
    const points: string[] = []
    for (let x = -overscan; x <= width + overscan; x += 12) {
      const y =
        base +
        lift +
        slope * (x - width / 2) +
        tall * Math.sin((x / long) * 2.2 + phase + shift) +
        tall * 0.45 * Math.sin((x / long) * 4.7 + phase * 2 + shift * 2)
      points.push(`${num(x)} ${num(y)}`)
    }
    return points
  }
  const upper = edge(0, 0)
  const lower = edge(0.5, unit * random.between(16, 34)).toReversed()
  return {
    svg: `<defs>${fill}</defs><path d="M${upper.join('L')}L${lower.join('L')}z" fill="url(#${id})"/><path d="M${upper.join('L')}" fill="none" stroke="${light}" stroke-opacity="0.4" stroke-width="${num(unit * 0.25)}"/>`,
    motion: {
      drift: { x: (i % 2 === 0 ? 1 : -1) * unit * random.between(1.5, 3.5), y: 0 },
      orbit: { rx: 0, ry: unit * 2.5, turnsPerSecond: 0.14, phase: i * 0.17 },
    },
  }
}
