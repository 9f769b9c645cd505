import type { Canvas, Layer } from './canvas.ts'
import { circle, drift, glow, line, moved, num, rect, repeat, vertical } from './canvas.ts'
import { mix } from './palette.ts'

/** The sky down to the horizon, with sun or moon, stars at night and clouds by day. */
export function sky(canvas: Canvas, horizon: number): Layer[] {
  const { subject, width, height } = canvas
  const [top, middle, low] = subject.palette.sky
  const edge = horizon / height
  const air =
    vertical('sky', [0, top], [0.55 * edge, middle], [edge, low]) +
    rect({ x: 0, y: 0, width, height }, 'url(#sky)')
  const above = subject.isNight ? stars(canvas, horizon) : banks(canvas, 'cloud', 0, horizon * 0.7)
  return [air, above, sunOrMoon(canvas, horizon)]
}

function sunOrMoon({ unit, random, subject, sunX: x }: Canvas, horizon: number): string {
  const { light, sky } = subject.palette
  const y = horizon * random.between(0.35, 0.6)
  const radius = 7.5 * unit
  const halo =
    glow('halo', mix(light, sky[2], 0.25), subject.isNight ? 0.5 : 0.85) +
    circle({ x, y }, radius * 4.4, 'url(#halo)')
  // Behind rain there is only a brighter spot in the clouds.
  if (subject.weather === 'rain') return halo
  if (!subject.isNight) return halo + circle({ x, y }, radius, mix(light, '#ffb066', 0.12))
  const crater = (dx: number, dy: number, size: number) =>
    circle({ x: x + dx * unit, y: y + dy * unit }, size * unit, mix(light, sky[1], 0.14))
  return halo + circle({ x, y }, radius, light) + crater(-2.6, -1.8, 1.8) + crater(1.8, 1.6, 2.3)
}

function stars({ width, unit, random, subject }: Canvas, horizon: number): string {
  return repeat(130, () => {
    const depth = random.next() ** 1.3
    const at = { x: random.between(0, width), y: horizon * depth }
    const radius = unit * (0.08 + 0.3 * random.next() ** 4)
    return circle(at, radius, subject.palette.light, random.between(0.5, 1) * (1 - depth ** 3))
  })
}

/** Soft banks of clouds or mist that drift along between two heights. */
function banks({ width, unit, random, subject }: Canvas, id: string, top: number, bottom: number) {
  const { sky, light } = subject.palette
  const soft = repeat(16, () => {
    const size = unit * random.between(0.4, 1)
    const at = { x: random.between(-0.4, 0.9) * width, y: random.between(top, bottom) }
    return rect({ ...at, width: size * 90, height: size * 13 }, `url(#${id})`)
  })
  return drift(glow(id, mix(sky[2], light, 0.4), 0.75) + soft, unit * 1.5)
}

/** Rain, snow or mist in front of everything else. */
export function weather(canvas: Canvas): Layer[] {
  const { width, height, unit, random, subject } = canvas
  if (subject.weather === 'clear') return []
  if (subject.weather === 'mist') return [banks(canvas, 'mist', height * 0.4, height * 0.8)]
  const isSnow = subject.weather === 'snow'
  const marks = repeat(160, () => {
    const [x, y] = [random.between(-0.05, 1.05) * width, random.between(0, height)]
    const size = unit * random.between(0.4, 1)
    if (isSnow) return circle({ x, y }, size * 0.5, '#fff', 0.65)
    const d = `M${num(x)} ${num(y)}l${num(-size * 0.6)} ${num(size * 5)}`
    return line(d, '#fff', size * 0.2, 0.4)
  })
  // Drawn a second time above the picture, so that it falls into view without a gap.
  const sheet = marks + moved(marks, 0, -height)
  return [(seconds) => moved(sheet, 0, (unit * (isSnow ? 9 : 90) * seconds) % height)]
}
