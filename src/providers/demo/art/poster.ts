import { type Box, type Canvas, type Layer, num, rect, sway } from './canvas.ts'
import { mix } from './palette.ts'
import { setText, typeUnit } from './type.ts'

/** The words of a prompt, set large, beside a composition of plain forms. */
export function poster(canvas: Canvas, words: string): Layer[] {
  const { width, height } = canvas
  const inks = chooseInks(canvas)
  const isWide = width > height * 1.2
  const unit = typeUnit(canvas)
  const margin = unit * 6
  const art = isWide
    ? { x: width - height / 2, y: 0, width: height / 2, height }
    : { x: 0, y: 0, width, height: height * 0.42 }
  const top = isWide ? margin * 1.6 : art.height + margin * 0.9
  const right = isWide ? art.x : width
  const box = { x: margin, y: top, width: right - 2 * margin, height: height - top - margin }
  const sizes = { largest: 22 * unit, smallest: 3.2 * unit, lineHeight: 1.06 }
  return [
    rect({ x: 0, y: 0, width, height }, inks.ground),
    ...tiles(canvas, art, inks),
    words === '' ? '' : setText(words, { ...box, ...sizes }, inks.ink).svg,
  ]
}

/** Dark on light or light on dark. */
function chooseInks({ random, subject }: Canvas) {
  const { sky, near, light, accent, second, far } = subject.palette
  const isDark = subject.isNight || random.next() < 0.4
  return {
    ground: isDark ? mix(near, sky[0], 0.25) : mix(sky[2], '#ffffff', 0.25),
    ink: isDark ? light : mix(near, '#000000', 0.15),
    forms: [accent, second, far, isDark ? sky[1] : near] as const,
  }
}

type Inks = ReturnType<typeof chooseInks>

/** Each is drawn in a square of 100 by 100. */
const tileForms = [
  'M0 0H100A100 100 0 0 1 0 100z',
  'M0 0H100A50 50 0 0 1 0 0z',
  'M20 50a30 30 0 1 0 60 0a30 30 0 1 0 -60 0z',
  'M0 0A100 100 0 0 1 100 100A100 100 0 0 1 0 0z',
  'M0 0H100L0 100z',
] as const

/** Quarter circles, half circles and dots on a grid of squares; rows of them slide a little. */
function tiles({ random, unit }: Canvas, box: Box, { forms, ground }: Inks): Layer[] {
  const rows = box.height > box.width ? [0, 1, 2, 3] : [0, 1]
  const size = box.height / rows.length
  return rows.map((row) => {
    let svg = ''
    // One extra tile on the right, which slides in.
    for (let x = box.x + box.width; x > box.x - size; x -= size) {
      const [back, front] = [random.pick([ground, ...forms]), random.pick(forms)]
      const at = `translate(${num(x)} ${num(box.y + row * size)}) scale(${num(size / 100)})`
      const turn = `rotate(${random.pick([0, 90, 180, 270])} 50 50)`
      // Slightly larger than the tile, so that no seam shows between neighbours of one colour.
      svg += `<path transform="${at}" d="M-.2 -.2H100.2V100.2H-.2z" fill="${back}"/>`
      svg += `<path transform="${at} ${turn}" d="${random.pick(tileForms)}" fill="${front === back ? ground : front}"/>`
    }
    return sway(svg, { x: (row % 2 === 0 ? 1 : -1) * unit * 1.2, y: 0, period: 7 })
  })
}
