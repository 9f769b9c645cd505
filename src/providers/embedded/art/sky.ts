import { mix } from './color.ts'
import type { Random } from './random.ts'
import { type Canvas, type Layer, overscan } from './scene.ts'
import { circle, glow, num, type Point, rect, vertical } from './svg.ts'

export function sky({ width, height, subject }: Canvas, horizon = 1): Layer {
  const [top, middle, low] = subject.palette.sky
  const fill = vertical('sky', [
    { at: 0, color: top },
    { at: 0.55 * horizon, color: middle },
    { at: horizon, color: low },
    { at: 1, color: low },
  ])
  return {
    svg: `<defs>${fill}</defs>${rect({ x: 0, y: 0 }, { width, height }, 'fill="url(#sky)"')}`,
  }
}

/** Two sheets of stars that twinkle against each other; `until` is where the ground begins. */
export function stars({ width, subject, random, unit }: Canvas, until: number): Layer[] {
  return [0, 0.5].map((phase) => {
    const dots = Array.from({ length: 70 }, () => {
      const y = until * random.next() ** 1.4
      const size = random.chance(0.12) ? random.between(0.24, 0.4) : random.between(0.08, 0.2)
      const opacity = num(random.between(0.5, 1) * (1 - (y / until) ** 3))
      return circle(
        { x: random.between(0, width), y },
        size * unit,
        `fill="${subject.palette.light}" fill-opacity="${opacity}"`,
      )
    })
    return { svg: dots.join(''), motion: { pulse: { depth: 0.55, turnsPerSecond: 0.5, phase } } }
  })
}

/** Sun by day, moon by night. */
export function heavenlyBody({ unit, subject }: Canvas, at: Point, size: number): Layer {
  const { light, sky: colors } = subject.palette
  const radius = size * unit
  const halo = glow('halo', mix(light, colors[2], 0.25), subject.night ? 0.5 : 0.85)
  const disc = subject.night
    ? moon(at, radius, light, colors[1])
    : `${vertical('disc', [
        { at: 0, color: light },
        { at: 1, color: mix(light, '#ff9a55', 0.3) },
      ])}${circle(at, radius, 'fill="url(#disc)"')}`
  // Behind rain there is only a brighter place in the clouds.
  const seen = subject.weather === 'rain' ? '' : disc
  return {
    svg: `<defs>${halo}</defs>${circle(at, radius * 4.2, 'fill="url(#halo)"')}${seen}`,
  }
}

function moon({ x, y }: Point, radius: number, light: string, shadow: string): string {
  const seas: [number, number, number][] = [
    [-0.35, -0.25, 0.24],
    [0.2, 0.1, 0.3],
    [-0.15, 0.45, 0.17],
    [0.42, -0.4, 0.13],
  ]
  const tint = `fill="${mix(light, shadow, 0.3)}" fill-opacity="0.4"`
  return (
    circle({ x, y }, radius, `fill="${light}"`) +
    seas
      .map(([dx, dy, r]) => circle({ x: x + dx * radius, y: y + dy * radius }, r * radius, tint))
      .join('')
  )
}

/** Banks of round-ended bars, far ones smaller and slower. */
export function clouds(
  { width, unit, random, subject }: Canvas,
  top: number,
  low: number,
): Layer[] {
  const color = mix(subject.palette.sky[2], subject.palette.light, 0.6)
  return [0, 1].map((near) => {
    const banks = Array.from({ length: 3 }, (_, i) => {
      const spread = (width + overscan) / 3
      const x = -overscan * 0.7 + spread * (i + random.between(0.1, 0.9))
      return bank(random, { x, y: random.between(top, low) }, unit * (0.8 + near * 0.55))
    })
    const opacity = subject.night ? 0.09 : near ? 0.5 : 0.34
    return {
      svg: `<g fill="${color}" fill-opacity="${opacity}">${banks.join('')}</g>`,
      motion: { drift: { x: unit * (0.7 + near * 0.9), y: 0 } },
    }
  })
}

/** One outline, so that where bars overlap nothing shows through twice. */
function bank(random: Random, { x, y }: Point, size: number): string {
  let d = ''
  const bars = random.whole(2, 4)
  for (let i = 0; i < bars; i++) {
    const thick = size * random.between(1.5, 2.4)
    const wide = size * (random.between(9, 20) * (1 - Math.abs(i - bars / 2 + 0.3) * 0.28))
    const left = x + size * random.between(-6, 6) - wide / 2
    const r = num(thick / 2)
    const arc = (down: number) => `a${r} ${r} 0 0 1 0 ${num(down)}`
    d += `M${num(left)} ${num(y + i * size * 1.35)}h${num(wide)}${arc(thick)}h${num(-wide)}${arc(-thick)}z`
  }
  return `<path d="${d}"/>`
}
