import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { ReactElement } from 'react'
import { keyName } from '#console/lib/platform.ts'

type TooltipProps = {
  text: string
  shortcut?: string | undefined
  side?: 'top' | 'right' | 'bottom' | 'left'
  /** One focusable element; the text must not be its only name. */
  children: ReactElement
}

export function Tooltip({ text, shortcut, side = 'top', children }: TooltipProps) {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} side={side} className="z-60">
          <Base.Popup className="flex max-w-72 items-center gap-2 rounded-sm bg-ink px-2 py-1 text-paper text-xs transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0">
            {text}
            {shortcut && <kbd className="opacity-75">{keyName(shortcut)}</kbd>}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
