import { useRef, useState } from 'react'
import { Button } from '#console/ui/button.tsx'
import type { ToolProps } from './crop.tsx'
import { type Mark, type MaskTool, maskOf } from './mask-paper.ts'
import { brushSizes, MaskTools } from './mask-tools.tsx'
import { Painter } from './painter.tsx'

/** Paints a mask over the picture; the painted area is transparent in the result. */
export function Mask({ src, busy, onMade }: ToolProps) {
  const paper = useRef<HTMLCanvasElement>(null)
  const [tool, setTool] = useState<MaskTool>('brush')
  const [size, setSize] = useState(brushSizes.usual)
  const [marks, setMarks] = useState<readonly Mark[]>([])
  const add = (mark: Mark) => setMarks((now) => [...now, mark])
  const use = async () => {
    if (paper.current) onMade(await maskOf(paper.current), {})
  }
  return (
    <div className="flex h-full flex-col gap-2">
      <div className="flex min-h-0 grow">
        <Painter
          {...{ src, marks, tool, size, paper }}
          onMark={add}
          pictureClass="tool-picture h-full"
        />
      </div>
      <div className="flex items-center gap-1">
        <MaskTools
          {...{ tool, size }}
          onTool={setTool}
          onInvert={() => add({ tool: 'invert' })}
          onSize={setSize}
        />
        <Button size="small" busy={busy} onClick={() => void use()}>
          Use
        </Button>
      </div>
    </div>
  )
}
