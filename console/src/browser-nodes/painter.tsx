import { type PointerEvent, type RefObject, useEffect, useRef } from 'react'
import { cx } from '#console/lib/cx.ts'
import {
  draw,
  type Mark,
  type MaskTool,
  onPaper,
  type Point,
  pointOn,
  redraw,
} from './mask-paper.ts'

type PainterProps = {
  src: string
  marks: readonly Mark[]
  tool: MaskTool
  /** In pixels of the screen. */
  size: number
  paper: RefObject<HTMLCanvasElement | null>
  onMark(mark: Mark): void
  /** The picture is shown, with its size. */
  onLoad?(size: { width: number; height: number }): void
  pictureClass: string
}

/** A picture, and over it what is painted. */
export function Painter({ src, marks, tool, size, paper, ...props }: PainterProps) {
  const points = useRef<Point[]>([])
  useEffect(() => {
    if (paper.current) redraw(paper.current, marks)
  }, [marks, paper])
  const paint = (event: PointerEvent<HTMLCanvasElement>) => {
    const to = pointOn(event.currentTarget, event)
    const from = points.current.at(-1) ?? to
    const width = onPaper(event.currentTarget, size)
    draw(event.currentTarget, { tool, width, points: [from, to] })
    points.current.push(to)
  }
  const end = (event: PointerEvent<HTMLCanvasElement>) => {
    const painted = points.current
    points.current = []
    const width = onPaper(event.currentTarget, size)
    if (painted.length > 0) props.onMark({ tool, width, points: painted })
  }
  return (
    <div className="relative mx-auto min-h-0">
      <img
        src={src}
        alt="To paint on"
        className={props.pictureClass}
        onLoad={({ currentTarget: picture }) => {
          if (!paper.current) return
          paper.current.width = picture.naturalWidth
          paper.current.height = picture.naturalHeight
          redraw(paper.current, marks)
          props.onLoad?.({ width: picture.naturalWidth, height: picture.naturalHeight })
        }}
      />
      <canvas
        ref={paper}
        aria-label="Mask: paint with the pointer"
        className={cx(
          'absolute inset-0 size-full cursor-crosshair touch-none',
          'text-(--port-image) opacity-55',
        )}
        onPointerDown={(event) => {
          if (event.button !== 0) return
          event.currentTarget.setPointerCapture(event.pointerId)
          points.current = []
          paint(event)
        }}
        onPointerMove={(event) => {
          if (points.current.length > 0) paint(event)
        }}
        onPointerUp={end}
        onPointerCancel={end}
      />
    </div>
  )
}
