// The drawing of a mask over a picture, in the picture's own size: painted where the picture may
// change. What a person did is a list of marks, from which the drawing is made again at any time.
import { toPng } from './picture.ts'

export type MaskTool = 'brush' | 'erase'
export type Point = readonly [x: number, y: number]
export type Area = { x: number; y: number; width: number; height: number }

/** In pixels of the picture. */
export type Mark =
  | { readonly tool: MaskTool; readonly width: number; readonly points: readonly Point[] }
  | ({ readonly tool: 'rectangle' } & Readonly<Area>)
  | { readonly tool: 'invert' | 'clear' }

/** False if nothing is painted: then a mask would leave the whole picture as it is. */
export const isPainted = (marks: readonly Mark[]): boolean =>
  marks.slice(marks.findLastIndex(({ tool }) => tool === 'clear') + 1).length > 0

/** The position on the paper of a point on the screen. */
export function pointOn(
  paper: HTMLCanvasElement,
  screen: { clientX: number; clientY: number },
): Point {
  const box = paper.getBoundingClientRect()
  return [
    Math.round(((screen.clientX - box.left) / box.width) * paper.width),
    Math.round(((screen.clientY - box.top) / box.height) * paper.height),
  ]
}

/** So many pixels of the screen, in pixels of the picture. */
export const onPaper = (paper: HTMLCanvasElement, screenPixels: number): number =>
  Math.max(1, Math.round((screenPixels / paper.getBoundingClientRect().width) * paper.width))

export function redraw(paper: HTMLCanvasElement, marks: readonly Mark[]): void {
  for (const mark of [{ tool: 'clear' } as const, ...marks]) draw(paper, mark)
}

export function draw(paper: HTMLCanvasElement, mark: Mark): void {
  const context = paper.getContext('2d')
  if (!context) return
  const { color } = getComputedStyle(paper)
  Object.assign(context, { fillStyle: color, strokeStyle: color, lineCap: 'round' })
  context.lineJoin = 'round'
  context.globalCompositeOperation = operations[mark.tool]
  const whole = { x: 0, y: 0, width: paper.width, height: paper.height }
  if ('points' in mark) {
    context.lineWidth = mark.width
    context.beginPath()
    // The first point twice, because a line of one point is not drawn.
    for (const [x, y] of [...mark.points.slice(0, 1), ...mark.points]) context.lineTo(x, y)
    context.stroke()
  } else {
    const { x, y, width, height } = mark.tool === 'rectangle' ? mark : whole
    context.fillRect(x, y, width, height)
  }
}

const operations: Record<Mark['tool'], GlobalCompositeOperation> = {
  brush: 'source-over',
  erase: 'destination-out',
  rectangle: 'source-over',
  invert: 'xor',
  clear: 'destination-out',
}

/** The mask as models take it: black, and transparent where it is painted. */
export const maskOf = (paper: HTMLCanvasElement): Promise<Blob> =>
  toPng(paper.width, paper.height, (context) => {
    context.fillRect(0, 0, paper.width, paper.height)
    context.globalCompositeOperation = 'destination-out'
    context.drawImage(paper, 0, 0)
  })
