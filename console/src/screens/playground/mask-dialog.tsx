import { useMutation } from '@tanstack/react-query'
import { SquareDashed, Trash2, Undo2 } from 'lucide-react'
import { type RefObject, useRef, useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { uploadMedia } from '#console/api/upload-media.ts'
import { isPainted, type Mark, type MaskTool, maskOf } from '#console/browser-nodes/mask-paper.ts'
import { brushSizes, MaskTools } from '#console/browser-nodes/mask-tools.tsx'
import { Painter } from '#console/browser-nodes/painter.tsx'
import { announce } from '#console/lib/announce.ts'
import { mediaPath } from '#console/lib/media-path.ts'
import { useKept } from '#console/lib/use-kept.ts'
import { useShortcut } from '#console/lib/use-shortcut.ts'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { FieldProblem } from '#console/ui/field-problem.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { MaskArea } from './mask-area.tsx'

type MaskDialogProps = {
  owner: string
  /** The address of the picture. */
  picture: string
  onClose(): void
  /** With the address of the mask. */
  onMade(mask: string): void
}

/** What is painted is kept, also if the dialog or the page is closed, until the picture changes. */
export function MaskDialog({ owner, picture, onClose, onMade }: MaskDialogProps) {
  const paper = useRef<HTMLCanvasElement>(null)
  const painting = usePainting(owner, picture)
  const { marks, add, undo } = painting
  const [tool, setTool] = useState<MaskTool>('brush')
  const [size, setSize] = useState(brushSizes.usual)
  const [room, setRoom] = useState<{ width: number; height: number } | null>(null)
  const use = useMutation({
    mutationFn: () => uploadMask(paper),
    onSuccess: onMade,
  })
  const canUse = room !== null && isPainted(marks)
  const invert = () => add({ tool: 'invert' }, 'Inverted')
  useMaskKeys({ setTool, setSize, invert, undo, use: () => canUse && use.mutate() })
  return (
    <Dialog
      open
      size="medium"
      title="Paint a mask"
      description="Paint over what may change. Everything else stays as it is."
      onClose={onClose}
      footer={
        <Button
          variant="primary"
          disabled={!canUse}
          busy={use.isPending}
          onClick={() => use.mutate()}
        >
          Use the mask
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center gap-1">
          <MaskTools {...{ tool, size }} onTool={setTool} onInvert={invert} onSize={setSize} />
          <IconButton
            label="Undo"
            disabled={marks.length === 0}
            icon={<Undo2 size={14} aria-hidden />}
            onClick={undo}
          />
          <IconButton
            label="Clear"
            disabled={!isPainted(marks)}
            icon={<Trash2 size={14} aria-hidden />}
            onClick={() => add({ tool: 'clear' }, 'Cleared')}
          />
          <Button
            size="small"
            icon={<SquareDashed size={14} aria-hidden />}
            disabled={!room}
            onClick={() => room && add({ tool: 'rectangle', x: 0, y: 0, ...room }, 'All painted')}
          >
            Whole picture
          </Button>
        </div>
        <div className="flex rounded-sm bg-sunken">
          <Painter
            src={mediaPath(picture)}
            {...{ marks, tool, size, paper }}
            onMark={(mark) => add(mark)}
            onLoad={setRoom}
            pictureClass="block max-h-[52vh] max-w-full"
          />
        </div>
        {room && (
          <MaskArea
            room={room}
            onAdd={(area) => add({ tool: 'rectangle', ...area }, 'Rectangle painted')}
          />
        )}
        {use.error && <FieldProblem id="mask-problem" text={toApiFailure(use.error).message} />}
      </div>
    </Dialog>
  )
}

async function uploadMask({ current }: RefObject<HTMLCanvasElement | null>): Promise<string> {
  if (!current) throw new Error('There is nothing to paint on.')
  return uploadMedia(new File([await maskOf(current)], 'mask.png', { type: 'image/png' }))
}

type Kept = { picture: string; marks: readonly Mark[] }

function usePainting(owner: string, picture: string) {
  const [kept, setKept] = useKept<Kept>(`${owner}.mask`, { picture, marks: [] })
  const marks = kept.picture === picture ? kept.marks : none
  const set = (next: readonly Mark[]) => setKept({ picture, marks: next })
  return {
    marks,
    add(mark: Mark, said?: string) {
      set([...marks, mark])
      if (said) announce(said)
    },
    undo() {
      set(marks.slice(0, -1))
      announce('Undone')
    },
  }
}

const none: readonly Mark[] = []

type MaskKeys = {
  setTool(tool: MaskTool): void
  setSize(change: (size: number) => number): void
  invert(): void
  undo(): void
  use(): void
}

function useMaskKeys({ setTool, setSize, invert, undo, use }: MaskKeys) {
  const group = { group: 'Mask' }
  const step = 4
  useShortcut('b', 'Brush', () => setTool('brush'), group)
  useShortcut('e', 'Erase', () => setTool('erase'), group)
  useShortcut('i', 'Invert', invert, group)
  useShortcut('[', 'Smaller', () => setSize((now) => Math.max(brushSizes.min, now - step)), group)
  useShortcut(']', 'Larger', () => setSize((now) => Math.min(brushSizes.max, now + step)), group)
  useShortcut('Mod+Z', 'Undo', undo, group)
  useShortcut('Mod+Enter', 'Use the mask', use, group)
}
