import { Brush, Contrast, Eraser } from 'lucide-react'
import { type PointerEvent, useRef, useState } from 'react'
import { Button } from '#console/ui/button.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import type { ToolProps } from './crop.tsx'
import { invert, type MaskTool, maskOf, type Point, pointOn, stroke } from './mask-paper.ts'

/** Paints a mask over the picture; the painted area is white in the result. */
export function Mask({ src, busy, onMade }: ToolProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [tool, setTool] = useState<MaskTool>('brush')
  const [size, setSize] = useState(24)
  const last = useRef<Point | null>(null)

  const paint = (event: PointerEvent<HTMLCanvasElement>) => {
    if (event.buttons !== 1) return
    const to = pointOn(event.currentTarget, event)
    stroke(event.currentTarget, { from: last.current ?? to, to, width: size, tool })
    last.current = to
  }
  const use = async () => {
    if (canvas.current) onMade(await maskOf(canvas.current), {})
  }
  return (
    <div className="flex h-full flex-col gap-2">
      <div className="relative mx-auto min-h-0 grow">
        <img
          src={src}
          alt="To paint on"
          className="tool-picture h-full"
          onLoad={({ currentTarget: picture }) => {
            if (!canvas.current) return
            canvas.current.width = picture.naturalWidth
            canvas.current.height = picture.naturalHeight
          }}
        />
        <canvas
          ref={canvas}
          aria-label="Mask: paint with the pointer"
          className="absolute inset-0 size-full touch-none opacity-70"
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId)
            last.current = null
            paint(event)
          }}
          onPointerMove={paint}
          onPointerUp={() => {
            last.current = null
          }}
        />
      </div>
      <div className="flex items-center gap-1">
        <Tools
          tool={tool}
          onTool={setTool}
          onInvert={() => canvas.current && invert(canvas.current)}
          size={size}
          onSize={setSize}
        />
        <Button size="small" busy={busy} onClick={() => void use()}>
          Use
        </Button>
      </div>
    </div>
  )
}

type ToolsProps = {
  tool: MaskTool
  onTool(tool: MaskTool): void
  onInvert(): void
  size: number
  onSize(size: number): void
}

function Tools({ tool, onTool, onInvert, size, onSize }: ToolsProps) {
  return (
    <>
      <IconButton
        label="Brush"
        aria-pressed={tool === 'brush'}
        icon={<Brush size={14} aria-hidden />}
        onClick={() => onTool('brush')}
      />
      <IconButton
        label="Erase"
        aria-pressed={tool === 'erase'}
        icon={<Eraser size={14} aria-hidden />}
        onClick={() => onTool('erase')}
      />
      <IconButton label="Invert" icon={<Contrast size={14} aria-hidden />} onClick={onInvert} />
      <input
        type="range"
        aria-label="Brush size"
        min={4}
        max={80}
        value={size}
        onChange={(event) => onSize(event.currentTarget.valueAsNumber)}
        className="w-10 min-w-0 grow accent-accent"
      />
    </>
  )
}
