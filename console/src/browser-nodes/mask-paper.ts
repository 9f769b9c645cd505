// The drawing of a mask: white where painted, transparent elsewhere, in the size of the picture.
import { toPng } from './picture.ts'

export type MaskTool = 'brush' | 'erase'
export type Point = { readonly x: number; readonly y: number }

/** The position on the paper of a point on the screen. */
export function pointOn(
  paper: HTMLCanvasElement,
  screen: { clientX: number; clientY: number },
): Point {
  const box = paper.getBoundingClientRect()
  return {
    x: ((screen.clientX - box.left) / box.width) * paper.width,
    y: ((screen.clientY - box.top) / box.height) * paper.height,
  }
}

/** `width` is in screen pixels. */
export function stroke(
  paper: HTMLCanvasElement,
  { from, to, width, tool }: { from: Point; to: Point; width: number; tool: MaskTool },
): void {
  const context = paper.getContext('2d')
  if (!context) return
  context.globalCompositeOperation = tool === 'brush' ? 'source-over' : 'destination-out'
  context.strokeStyle = '#ffffff'
  context.lineWidth = (width / paper.getBoundingClientRect().width) * paper.width
  context.lineCap = 'round'
  context.beginPath()
  context.moveTo(from.x, from.y)
  context.lineTo(to.x, to.y)
  context.stroke()
}

export function invert(paper: HTMLCanvasElement): void {
  const context = paper.getContext('2d')
  if (!context) return
  context.globalCompositeOperation = 'xor'
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, paper.width, paper.height)
}

/** The mask as an image, on a black background. */
export const maskOf = (paper: HTMLCanvasElement): Promise<Blob> =>
  toPng(paper.width, paper.height, (context) => {
    context.fillStyle = '#000000'
    context.fillRect(0, 0, paper.width, paper.height)
    context.drawImage(paper, 0, 0)
  })
