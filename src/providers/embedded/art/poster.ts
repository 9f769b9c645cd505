import { typeUnit } from './caption.ts'
import { lightness, mix } from './color.ts'
import { type Canvas, type Layer, sway } from './scene.ts'
import { escapeXml, num, type Point, rect, type Size } from './svg.ts'
import { fitText, lineHeight } from './type.ts'

/** The words of a prompt, set large, beside a composition of plain forms. */
export function poster(canvas: Canvas, words: string): Layer[] {
  const { width, height } = canvas
  const inks = chooseInks(canvas)
  const isWide = width > height * 1.2
  const margin = typeUnit(canvas) * 6
  const art = isWide
    ? { x: width - height / 2, y: 0, width: height / 2, height }
    : { x: 0, y: 0, width, height: height * 0.42 }
  const room = isWide
    ? { x: margin, y: margin * 1.6, width: art.x - 2 * margin, height: height - 2.6 * margin }
    : {
        x: margin,
        y: art.height + margin * 0.9,
        width: width - 2 * margin,
        height: height - art.height - margin * 1.9,
      }
  return [
    rect({ x: 0, y: 0 }, { width, height }, inks.ground),
    ...tiles(canvas, art, inks),
    words === '' ? '' : type(words, room, inks.ink, typeUnit(canvas)),
  ]
}

type Inks = { ground: string; ink: string; forms: readonly [string, ...string[]] }

/** Dark on light or light on dark, whichever the palette is. */
function chooseInks({ random, subject }: Canvas): Inks {
  const { sky, near, light, accent, second, far } = subject.palette
  const isDark = subject.isNight || lightness(sky[1]) < 0.5 || random.chance(0.35)
  const ground = isDark ? mix(near, sky[0], 0.35) : mix(sky[2], '#ffffff', 0.25)
  return {
    ground,
    ink: isDark ? light : mix(near, '#000000', 0.15),
    forms: [accent, second, far, isDark ? sky[1] : near],
  }
}

type Box = Point & Size

/** Each in a square of 100. */
const tileForms = [
  'M0 0H100A100 100 0 0 1 0 100z',
  'M0 0H100A50 50 0 0 1 0 0z',
  'M20 50a30 30 0 1 0 60 0a30 30 0 1 0 -60 0z',
  'M0 0A100 100 0 0 1 100 100A100 100 0 0 1 0 0z',
  'M0 0H100L0 100z',
] as const

/** Quarter circles, half circles and dots on a grid of squares; rows of them slide a little. */
function tiles({ random, unit }: Canvas, box: Box, { forms, ground }: Inks): Layer[] {
  const rows = box.height > box.width ? 4 : 2
  const size = box.height / rows
  let squares = ''
  const sliding = Array.from({ length: rows }, (_, row) => {
    let marks = ''
    for (let x = box.x + box.width - size; x > box.x - size; x -= size) {
      const [back, front] = [random.pick([ground, ...forms]), random.pick(forms)]
      const at = `translate(${num(x)} ${num(box.y + row * size)}) scale(${num(size / 100)})`
      const turn = `rotate(${random.whole(0, 3) * 90} 50 50)`
      // A little over the edge: neighbours of one colour must not show a seam.
      squares += `<path transform="${at}" d="M-.2 -.2H100.2V100.2H-.2z" fill="${back}"/>`
      marks += `<path transform="${at} ${turn}" d="${random.pick(tileForms)}" fill="${front === back ? ground : front}"/>`
    }
    return sway(marks, { x: (row % 2 === 0 ? 1 : -1) * unit * 1.2, y: 0, period: 7, phase: 0.25 })
  })
  return [squares, ...sliding]
}

const fillers = new Set(
  'a an the of on in at by to for with and or as from into over under its it is are der die das ein eine und im am le la les un une des de du et el los las una y en'.split(
    ' ',
  ),
)

/** From the bottom of the box upwards; words that carry little stand back. */
function type(words: string, box: Box, ink: string, unit: number): string {
  const { size, lines } = fitText(words, { ...box, largest: 22 * unit, smallest: 3.2 * unit })
  const first = box.y + box.height - ((lines.length - 1) * lineHeight + 0.22) * size
  const rows = lines.map((text, i) => {
    const spans = text.split(' ').map((word) => {
      const isFiller = fillers.has(word.toLowerCase())
      return `<tspan${isFiller ? ' fill-opacity="0.5"' : ''}>${escapeXml(word)}</tspan>`
    })
    return `<text x="${num(box.x)}" y="${num(first + i * lineHeight * size)}">${spans.join(' ')}</text>`
  })
  return `<g font-family="Inter" font-weight="800" font-size="${num(size)}" letter-spacing="${num(-size * 0.02)}" fill="${ink}">${rows.join('')}</g>`
}
