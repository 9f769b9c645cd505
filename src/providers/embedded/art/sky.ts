import { mix } from './color.ts'
import { type Canvas, drift, type Layer, overscan, twinkle } from './scene.ts'
import { circle, glow, num, type Point, rect, vertical } from './svg.ts'

/** Air down to the horizon, with sun or moon, stars at night and clouds by day. */
export function sky(canvas: Canvas, horizon: number, sun: Point): Layer[] {
  const { subject, width } = canvas
  const [top, middle, low] = subject.palette.sky
  const edge = horizon / canvas.height
  const air =
    vertical('sky', [0, top], [0.55 * edge, middle], [edge, low], [1, low]) +
    rect({ x: 0, y: 0 }, { width, height: canvas.height }, 'url(#sky)')
  return [
    air + heavenlyBody(canvas, sun),
    ...(subject.isNight ? stars(canvas, horizon, sun) : clouds(canvas, horizon)),
  ]
}

const bodySize = 7.5

function heavenlyBody({ unit, subject }: Canvas, at: Point): string {
  const { light, sky } = subject.palette
  const radius = bodySize * unit
  const halo =
    glow('halo', mix(light, sky[2], 0.25), subject.isNight ? 0.5 : 0.85) +
    circle(at, radius * 4.4, 'url(#halo)')
  // Behind rain there is only a brighter spot in the clouds.
  if (subject.weather === 'rain') return halo
  if (!subject.isNight) return halo + circle(at, radius, mix(light, '#ffb066', 0.12))
  const seas = [
    [-0.35, -0.25, 0.24],
    [0.2, 0.1, 0.3],
    [-0.15, 0.45, 0.17],
    [0.42, -0.4, 0.13],
  ] as const
  const spots = seas.map(([dx, dy, size]) =>
    circle(
      { x: at.x + dx * radius, y: at.y + dy * radius },
      size * radius,
      mix(light, sky[1], 0.14),
    ),
  )
  return halo + circle(at, radius, light) + spots.join('')
}

/** Two sheets that twinkle against each other; none before the moon. */
function stars({ width, unit, random, subject }: Canvas, until: number, moon: Point): Layer[] {
  return [0, 0.5].map((phase) => {
    const dots = Array.from({ length: 70 }, () => {
      const at = { x: random.between(0, width), y: until * random.next() ** 1.3 }
      const size =
        unit * (random.chance(0.12) ? random.between(0.24, 0.4) : random.between(0.08, 0.2))
      const opacity = random.between(0.5, 1) * (1 - (at.y / until) ** 3)
      const isHidden = Math.hypot(at.x - moon.x, at.y - moon.y) < (bodySize + 1) * unit
      const shine = `fill-opacity="${num(opacity)}"`
      return isHidden ? '' : circle(at, size, subject.palette.light, shine)
    })
    return twinkle(dots.join(''), { depth: 0.55, period: 2, phase })
  })
}

/** Banks of round-ended bars; the near sheet is larger and faster. */
function clouds({ width, unit, random, subject }: Canvas, horizon: number): Layer[] {
  const color = mix(subject.palette.sky[2], subject.palette.light, 0.6)
  return [0, 1].map((near) => {
    let d = ''
    const room = (width + overscan) / 3
    for (const slot of [0, 1, 2]) {
      const x = room * (slot + random.between(0.1, 0.9)) - overscan * 0.7
      const y = horizon * random.between(0.16, 0.72)
      const size = unit * (0.8 + near * 0.55)
      for (let bar = 0; bar < random.whole(2, 4); bar++) {
        const thick = size * random.between(1.5, 2.4)
        const wide = size * random.between(7, 17)
        const left = x + size * random.between(-6, 6) - wide / 2
        const end = (down: number) => `a${num(thick / 2)} ${num(thick / 2)} 0 0 1 0 ${num(down)}`
        d += `M${num(left)} ${num(y + bar * size * 1.35)}h${num(wide)}${end(thick)}h${num(-wide)}${end(-thick)}z`
      }
    }
    const bank = `<path d="${d}" fill="${color}" fill-opacity="${near ? 0.5 : 0.34}"/>`
    return drift(bank, unit * (0.7 + near * 0.9))
  })
}
