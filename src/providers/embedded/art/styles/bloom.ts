import { mix } from '../color.ts'
import { boxAround, type Canvas, type Layer, type Style } from '../scene.ts'
import { circle, glow, num, type Point, radial, rect } from '../svg.ts'

/** One great flower: rings of petals that turn against each other, seeds in the middle. */
export const bloom: Style = (canvas) => {
  const { width, height, random } = canvas
  const center = { x: width * random.between(0.46, 0.54), y: height * random.between(0.44, 0.5) }
  const rings = random.whole(4, 5)
  return [
    ground(canvas, center),
    ...Array.from({ length: rings }, (_, i) => petals(canvas, center, i, rings)),
    seeds(canvas, center),
  ]
}

function ground({ width, height, unit, random, subject }: Canvas, center: Point): Layer {
  const { sky, second } = subject.palette
  const fill = `<radialGradient id="ground" gradientUnits="userSpaceOnUse" cx="${num(center.x)}" cy="${num(center.y)}" r="${num(Math.hypot(width, height) * 0.6)}"><stop offset="0" stop-color="${sky[2]}"/><stop offset="0.6" stop-color="${sky[1]}"/><stop offset="1" stop-color="${sky[0]}"/></radialGradient>`
  const spots = Array.from({ length: 26 }, () => {
    const at = { x: random.between(0, width), y: random.between(0, height) }
    return circle(
      at,
      unit * random.between(0.4, 2.6),
      `fill="${second}" fill-opacity="${num(random.between(0.1, 0.35))}"`,
    )
  })
  return {
    svg: `<defs>${fill}</defs>${rect({ x: 0, y: 0 }, { width, height }, 'fill="url(#ground)"')}${spots.join('')}`,
  }
}

function petals({ unit, random, subject }: Canvas, center: Point, i: number, rings: number): Layer {
  const { accent, second, light, near, far } = subject.palette
  const reach = unit * (44 - (32 * i) / rings)
  const count = random.pick([10, 12, 14, 16, 18])
  const wide = (reach * Math.PI) / count / (i === 0 ? 0.9 : 1.05)
  const tone = i % 2 === 0 ? mix(accent, i === 0 ? near : light, 0.22) : mix(second, far, 0.2)
  const inner = num(reach * 0.12)
  const shape = `M0 -${inner}C${num(wide * 0.5)} ${num(-reach * 0.35)} ${num(wide * 1.15)} ${num(-reach * 0.75)} 0 ${num(-reach)}C${num(-wide * 1.15)} ${num(-reach * 0.75)} ${num(-wide * 0.5)} ${num(-reach * 0.35)} 0 -${inner}z`
  const fill = `<linearGradient id="petal${i}" x1="0" y1="1" x2="0" y2="0"><stop offset="0" stop-color="${mix(tone, near, 0.45)}"/><stop offset="0.5" stop-color="${tone}"/><stop offset="1" stop-color="${mix(tone, light, 0.45)}"/></linearGradient>`
  const start = random.between(0, 360)
  const leaves = Array.from(
    { length: count },
    (_, k) => `<path d="${shape}" transform="rotate(${num(start + (360 * k) / count)})"/>`,
  )
  return {
    svg: `<defs>${fill}</defs><g transform="translate(${num(center.x)} ${num(center.y)})" fill="url(#petal${i})" fill-opacity="0.93" stroke="${mix(tone, near, 0.35)}" stroke-opacity="0.35" stroke-width="${num(unit * 0.18)}">${leaves.join('')}</g>`,
    motion: { spin: (i % 2 === 0 ? 1 : -1) * (0.015 + i * 0.008), pivot: center },
    box: boxAround(center, reach + unit),
  }
}

/** Seeds a golden angle apart, as in a sunflower. */
function seeds({ unit, subject }: Canvas, center: Point): Layer {
  const { light, near, second } = subject.palette
  const core = radial('core', [
    { at: 0, color: mix(near, second, 0.35) },
    { at: 1, color: near },
  ])
  const dots = Array.from({ length: 110 }, (_, k) => {
    const angle = k * 2.399963
    const out = unit * 0.72 * Math.sqrt(k)
    const at = { x: center.x + out * Math.cos(angle), y: center.y + out * Math.sin(angle) }
    return circle(at, unit * (0.2 + k * 0.0022), `fill="${mix(light, second, k / 110)}"`)
  })
  return {
    svg: `<defs>${glow('shine', light, 0.35)}${core}</defs>${circle(center, unit * 13, 'fill="url(#shine)"')}${circle(center, unit * 8.4, 'fill="url(#core)"')}${dots.join('')}`,
    motion: { spin: 0.05, pivot: center },
    box: boxAround(center, unit * 13),
  }
}
