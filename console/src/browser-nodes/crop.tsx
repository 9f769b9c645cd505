import 'react-image-crop/dist/ReactCrop.css'
import { useRef, useState } from 'react'
import ReactCrop, { type PercentCrop } from 'react-image-crop'
import { Button } from '#console/ui/button.tsx'
import { cropPicture, type Frame } from './picture.ts'

export type ToolProps = {
  src: string
  busy: boolean
  /** The result, which the caller uploads. */
  onMade(result: Blob, settings: Record<string, unknown>): void
}

const start: PercentCrop = { unit: '%', x: 10, y: 10, width: 80, height: 80 }

/** A frame on the picture, moved by pointer or arrow keys. */
export function Crop({ src, busy, onMade, frame }: ToolProps & { frame: Frame | null }) {
  const image = useRef<HTMLImageElement>(null)
  const [crop, setCrop] = useState<PercentCrop>(frame ? { unit: '%', ...frame } : start)
  const use = async () => {
    if (!image.current || crop.width === 0 || crop.height === 0) return
    const { x, y, width, height } = crop
    onMade(await cropPicture(image.current, crop), { crop: { x, y, width, height } })
  }
  return (
    <div className="flex h-full flex-col gap-2">
      <div className="flex min-h-0 grow items-center justify-center">
        <ReactCrop
          crop={crop}
          onChange={(_, percent) => setCrop(percent)}
          className="max-h-full"
          ariaLabels={{
            cropArea: 'Frame: move it with the arrow keys',
            nwDragHandle: 'Upper left corner',
            nDragHandle: 'Upper edge',
            neDragHandle: 'Upper right corner',
            eDragHandle: 'Right edge',
            seDragHandle: 'Lower right corner',
            sDragHandle: 'Lower edge',
            swDragHandle: 'Lower left corner',
            wDragHandle: 'Left edge',
          }}
        >
          <img ref={image} src={src} alt="To crop" className="tool-picture" />
        </ReactCrop>
      </div>
      <Button size="small" busy={busy} onClick={() => void use()}>
        Use this part
      </Button>
    </div>
  )
}
