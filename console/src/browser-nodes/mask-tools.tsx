import { Brush, Contrast, Eraser } from 'lucide-react'
import { IconButton } from '#console/ui/icon-button.tsx'
import type { MaskTool } from './mask-paper.ts'

type MaskToolsProps = {
  tool: MaskTool
  onTool(tool: MaskTool): void
  onInvert(): void
  size: number
  onSize(size: number): void
}

export const brushSizes = { min: 4, max: 80, usual: 24 }

export function MaskTools({ tool, onTool, onInvert, size, onSize }: MaskToolsProps) {
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
        min={brushSizes.min}
        max={brushSizes.max}
        value={size}
        onChange={(event) => onSize(event.currentTarget.valueAsNumber)}
        className="w-10 min-w-0 grow accent-accent"
      />
    </>
  )
}
