import { mix } from '../color.ts'
import type { Canvas, Layer, Style } from '../scene.ts'
import { num, type Point, pathOf } from '../svg.ts'

/** Cut glass: a jittered mesh of triangles under one light, some of them glinting. */
export const facets: Style = (canvas) => {
  const mesh = triangulate(canvas)
  return [surface(canvas, mesh), ...[0, 0.33, 0.66].map((phase) => glints(canvas, mesh, phase))]
}

type Triangle = [Point, Point, Point]

function triangulate({ width, height, unit, random }: Canvas): Triangle[] {
  const cell = unit * random.between(11, 16)
  const columns = Math.ceil(width / cell) + 3
  const rows = Math.ceil(height / cell) + 3
  const knots = Array.from({ length: rows * columns }, (_, i) => ({
    x: ((i % columns) - 1 + random.between(-0.38, 0.38)) * cell,
    y: (Math.floor(i / columns) - 1 + random.between(-0.38, 0.38)) * cell,
  }))
  const at = (row: number, column: number) => knots[row * columns + column] ?? { x: 0, y: 0 }
  const mesh: Triangle[] = []
  for (let row = 0; row + 1 < rows; row++) {
    for (let column = 0; column + 1 < columns; column++) {
      const [a, b] = [at(row, column), at(row, column + 1)]
      const [c, d] = [at(row + 1, column), at(row + 1, column + 1)]
      if (random.chance(0.5)) mesh.push([a, b, c], [b, d, c])
      else mesh.push([a, b, d], [a, d, c])
    }
  }
  return mesh
}

function surface({ width, height, random, subject }: Canvas, mesh: Triangle[]): Layer {
  const { sky, far, near, second, light } = subject.palette
  const ramp = [sky[0], near, far, sky[1], sky[2], light]
  const sun = { x: width * random.between(0.2, 0.8), y: height * random.between(0.1, 0.45) }
  const reach = Math.hypot(width, height) * 0.85
  const faces = mesh.map((corners) => {
    const x = corners.reduce((sum, corner) => sum + corner.x, 0) / 3
    const y = corners.reduce((sum, corner) => sum + corner.y, 0) / 3
    const lit = 1 - Math.hypot(x - sun.x, y - sun.y) / reach + random.between(-0.13, 0.13)
    const place = Math.min(0.999, Math.max(0, lit)) * (ramp.length - 1)
    const index = Math.floor(place)
    const base = mix(ramp[index] ?? far, ramp[index + 1] ?? light, place - index)
    const color = random.chance(0.08) ? mix(base, second, 0.5) : base
    return `<path d="${pathOf(corners)}z" fill="${color}" stroke="${color}"/>`
  })
  return { svg: `<g stroke-width="0.8" stroke-linejoin="round">${faces.join('')}</g>` }
}

function glints({ random, subject }: Canvas, mesh: Triangle[], phase: number): Layer {
  const chosen = mesh.filter(() => random.chance(0.13)).map((corners) => `${pathOf(corners)}z`)
  return {
    svg: `<path d="${chosen.join('')}" fill="${subject.palette.light}" fill-opacity="${num(0.3)}"/>`,
    motion: { pulse: { depth: 1, turnsPerSecond: 0.3, phase } },
  }
}
