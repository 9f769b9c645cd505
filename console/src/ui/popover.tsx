import { Popover as Base } from '@base-ui/react/popover'
import type { ReactElement, ReactNode } from 'react'
import { cx } from '#console/lib/cx.ts'
import { popupClass } from './popup-class.ts'

type PopoverProps = {
  trigger: ReactElement
  title?: string
  children: ReactNode
  align?: 'start' | 'center' | 'end'
  side?: 'top' | 'right' | 'bottom' | 'left'
  /** For a popover that is loaded when it is first opened. */
  defaultOpen?: boolean
  /** Given together, by who closes it in other ways than those that a popover knows. */
  open?: boolean
  onOpenChange?(isOpen: boolean): void
}

export function Popover({
  trigger,
  title,
  children,
  align = 'start',
  side = 'bottom',
  defaultOpen = false,
  ...control
}: PopoverProps) {
  return (
    <Base.Root defaultOpen={defaultOpen} {...control}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className="z-50" align={align} side={side} sideOffset={6}>
          <Base.Popup className={cx(popupClass, 'max-w-[calc(100vw-2rem)] p-4')}>
            {title && <Base.Title className="mb-2 font-semibold text-base">{title}</Base.Title>}
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
