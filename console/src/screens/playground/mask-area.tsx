import { useState } from 'react'
import type { Area } from '#console/browser-nodes/mask-paper.ts'
import { Button } from '#console/ui/button.tsx'
import { Field } from '#console/ui/field.tsx'
import { Fold } from '#console/ui/fold.tsx'
import { TextInput } from '#console/ui/text-input.tsx'

type MaskAreaProps = { room: { width: number; height: number }; onAdd(area: Area): void }

const labels = { x: 'Left', y: 'Top', width: 'Width', height: 'Height' }
const names = Object.keys(labels) as (keyof Area)[]

/** The same without a pointer: a rectangle by its numbers. */
export function MaskArea({ room, onAdd }: MaskAreaProps) {
  const [typed, setTyped] = useState<Record<keyof Area, string>>({
    x: String(Math.round(room.width / 4)),
    y: String(Math.round(room.height / 4)),
    width: String(Math.round(room.width / 2)),
    height: String(Math.round(room.height / 2)),
  })
  const area = readArea(typed, room)
  return (
    <Fold label="Paint a rectangle by numbers" isOpen={false}>
      <div className="grid grid-cols-2 items-end gap-3 sm:grid-cols-4">
        {names.map((name) => (
          <Field key={name} label={labels[name]} note="px">
            {(control) => (
              <TextInput
                {...control}
                inputMode="numeric"
                value={typed[name]}
                onChange={({ target }) => setTyped({ ...typed, [name]: target.value })}
              />
            )}
          </Field>
        ))}
      </div>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span className="text-soft text-xs">
          The picture has {room.width} by {room.height} pixels.
        </span>
        <Button size="small" disabled={!area} onClick={() => area && onAdd(area)}>
          Paint the rectangle
        </Button>
      </div>
    </Fold>
  )
}

/** Null if the numbers describe no part of the picture. */
function readArea(typed: Record<keyof Area, string>, room: MaskAreaProps['room']): Area | null {
  const [x = -1, y = -1, width = 0, height = 0] = names.map((name) =>
    typed[name].trim() === '' ? Number.NaN : Number(typed[name]),
  )
  const isInside = x >= 0 && y >= 0 && x < room.width && y < room.height
  return isInside && width > 0 && height > 0 ? { x, y, width, height } : null
}
