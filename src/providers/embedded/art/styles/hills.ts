import { mix } from '../color.ts'
import { depthColor, palettes } from '../palette.ts'
import { heightAt, ridge } from '../ridge.ts'
import { type Canvas, type Layer, overscan, type Style } from '../scene.ts'
import { clouds, heavenlyBody, sky, stars } from '../sky.ts'
import { num, type Point, pathOf, vertical } from '../svg.ts'

/** Ranges of hills that fade into mist, under a sun or a moon. */
export const hills: Style = (canvas) => {
  const { width, height, random, subject } = canvas
  const horizon = height * random.between(0.5, 0.58)
  const body = {
    x: width * random.between(0.25, 0.75),
    y: horizon - height * random.between(0.12, 0.3),
  }
  const ranges = 5
  return [
    sky(canvas, horizon / height),
    ...(subject.night ? stars(canvas, horizon) : []),
    heavenlyBody(canvas, body, random.between(5, 8)),
    ...clouds(canvas, height * 0.1, horizon * 0.8),
    ...Array.from({ length: ranges }, (_, i) => range(canvas, horizon, i / (ranges - 1))),
  ]
}

function range(canvas: Canvas, horizon: number, depth: number): Layer {
  const { width, height, unit, random, subject } = canvas
  const base = horizon + (height * 0.97 - horizon) * depth ** 1.15 + 4 * unit
  const outline = ridge(random, {
    from: -overscan,
    to: width + 20,
    step: 5,
    base,
    height: unit * (subject.peaks ? 34 - depth * 22 : 20 - depth * 7),
    span: unit * (34 + depth * 30),
    peaks: depth < 0.5,
  })
  const color = depthColor(subject.palette, depth)
  const id = `range${num(depth * 10)}`
  const fill = vertical(id, [
    { at: 0, color },
    { at: 1, color: mix(color, subject.palette.sky[2], 0.42 * (1 - depth)) },
  ])
  const bottom = [
    { x: width + 20, y: height + 5 },
    { x: -overscan, y: height + 5 },
  ]
  const trees =
    depth > 0.6 && subject.palette !== palettes.desert ? treeLine(canvas, outline, depth) : ''
  return {
    svg: `<defs>${fill}</defs><g fill="url(#${id})"><path d="${pathOf([...outline, ...bottom])}z"/></g><path fill="${color}" d="${trees}"/>`,
    motion: { drift: { x: unit * (0.3 + depth * 4), y: 0 } },
  }
}

function treeLine({ width, unit, random }: Canvas, outline: Point[], depth: number): string {
  let d = ''
  for (let x = -overscan + 10; x < width; x += random.between(1, 9) * unit) {
    const tall = unit * random.between(1.8, 3.6) * (0.4 + depth)
    const y = heightAt(outline, x) + tall * 0.15
    d += `M${num(x - tall * 0.22)} ${num(y)}l${num(tall * 0.22)} ${num(-tall)}l${num(tall * 0.22)} ${num(tall)}z`
  }
  return d
}
