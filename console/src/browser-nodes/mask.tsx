import { Brush, Contrast, Eraser } from 'lucide-react'
import { type PointerEvent, useEffect, useRef, useState } from 'react'
import { Button } from '#console/ui/button.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import type { ToolProps } from './crop.tsx'
import { toPng } from './picture.ts'

/** Painted over the picture; white in the result is what was painted. */
export function Mask({ src, busy, onMade }: ToolProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const image = useRef<HTMLImageElement>(null)
  const [tool, setTool] = useState<'brush' | 'erase'>('brush')
  const [size, setSize] = useState(24)
  const last = useRef<{ x: number; y: number } | null>(null)

  useEffect(() => {
    last.current = null
  }, [])

  const fit = () => {
    const [paper, picture] = [canvas.current, image.current]
    if (!paper || !picture) return
    paper.width = picture.naturalWidth
    paper.height = picture.naturalHeight
  }
  const at = (event: PointerEvent<HTMLCanvasElement>) => {
    const paper = event.currentTarget
    const box = paper.getBoundingClientRect()
    return {
      x: ((event.clientX - box.left) / box.width) * paper.width,
      y: ((event.clientY - box.top) / box.height) * paper.height,
      width: (size / box.width) * paper.width,
    }
  }
  const paint = (event: PointerEvent<HTMLCanvasElement>) => {
    const context = event.currentTarget.getContext('2d')
    if (!context || event.buttons !== 1) return
    const to = at(event)
    const from = last.current ?? to
    context.globalCompositeOperation = tool === 'brush' ? 'source-over' : 'destination-out'
    context.strokeStyle = '#ffffff'
    context.lineWidth = to.width
    context.lineCap = 'round'
    context.beginPath()
    context.moveTo(from.x, from.y)
    context.lineTo(to.x, to.y)
    context.stroke()
    last.current = to
  }
  const invert = () => {
    const context = canvas.current?.getContext('2d')
    if (!context || !canvas.current) return
    context.globalCompositeOperation = 'xor'
    context.fillStyle = '#ffffff'
    context.fillRect(0, 0, canvas.current.width, canvas.current.height)
  }
  const use = async () => {
    const paper = canvas.current
    if (!paper) return
    const blob = await toPng(paper.width, paper.height, (context) => {
      context.fillStyle = '#000000'
      context.fillRect(0, 0, paper.width, paper.height)
      context.drawImage(paper, 0, 0)
    })
    onMade(blob, {})
  }
  return (
    <div className="flex h-full flex-col gap-2">
      <div className="relative mx-auto min-h-0 grow">
        <img ref={image} src={src} alt="To paint on" className="tool-picture h-full" onLoad={fit} />
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
        <IconButton
          label="Brush"
          aria-pressed={tool === 'brush'}
          icon={<Brush size={14} aria-hidden />}
          onClick={() => setTool('brush')}
        />
        <IconButton
          label="Erase"
          aria-pressed={tool === 'erase'}
          icon={<Eraser size={14} aria-hidden />}
          onClick={() => setTool('erase')}
        />
        <IconButton label="Invert" icon={<Contrast size={14} aria-hidden />} onClick={invert} />
        <input
          type="range"
          aria-label="Size of the brush"
          min={4}
          max={80}
          value={size}
          onChange={(event) => setSize(event.currentTarget.valueAsNumber)}
          className="w-10 min-w-0 grow accent-accent"
        />
        <Button size="small" busy={busy} onClick={() => void use()}>
          Use
        </Button>
      </div>
    </div>
  )
}
