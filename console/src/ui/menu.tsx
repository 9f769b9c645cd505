import { Menu as Base } from '@base-ui/react/menu'
import type { ReactElement, ReactNode } from 'react'
import { cx } from '#console/lib/cx.ts'
import { keyName } from '#console/lib/platform.ts'
import { itemClass, popupClass } from './popup-class.ts'

export type MenuItem =
  | {
      label: string
      icon?: ReactNode
      shortcut?: string
      danger?: boolean
      disabled?: boolean
      onSelect(): void
    }
  | { separator: true }
  | { heading: string }

export type MenuProps = {
  /** The button at which the menu opens. */
  trigger: ReactElement
  items: readonly MenuItem[]
  align?: 'start' | 'end'
  side?: 'top' | 'bottom'
  /** For a menu that is loaded when it is first opened. */
  defaultOpen?: boolean
}

export function Menu(props: MenuProps) {
  const { trigger, items, align = 'end', side = 'bottom', defaultOpen = false } = props
  return (
    <Base.Root modal={false} defaultOpen={defaultOpen}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner
          // It is at the end of the page, outside all other landmarks.
          role="region"
          aria-label="Menu"
          className="z-50"
          align={align}
          side={side}
          sideOffset={4}
        >
          <Base.Popup
            className={cx(popupClass, 'max-h-(--available-height) min-w-48 overflow-y-auto p-1')}
          >
            {items.map(drawItem)}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

type PointMenuProps = {
  label: string
  items: readonly MenuItem[]
  /** Where on the screen it opens. */
  at: { x: number; y: number }
  onClose(): void
  /** What gets the focus when it is closed. */
  finalFocus(): HTMLElement | null
}

/** A menu at a point, as a right click opens it. */
export function PointMenu({ label, items, at: { x, y }, onClose, finalFocus }: PointMenuProps) {
  const anchor = { getBoundingClientRect: () => new DOMRect(x, y, 0, 0) }
  return (
    <Base.Root open modal={false} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Positioner
          role="region"
          aria-label="Menu"
          className="z-50"
          anchor={anchor}
          align="start"
          sideOffset={2}
        >
          <Base.Popup
            aria-label={label}
            finalFocus={finalFocus}
            className={cx(popupClass, 'max-h-(--available-height) min-w-56 overflow-y-auto p-1')}
          >
            {items.map(drawItem)}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

function drawItem(item: MenuItem, index: number) {
  if ('separator' in item)
    return <Base.Separator key={`line ${index}`} className="my-1 h-px bg-line" />
  if ('heading' in item)
    return (
      <div key={item.heading} className="px-2 pt-1 pb-0.5 text-soft text-xs" role="presentation">
        {item.heading}
      </div>
    )
  return (
    <Base.Item
      key={item.label}
      disabled={item.disabled ?? false}
      onClick={item.onSelect}
      className={cx(itemClass, item.danger && 'text-bad')}
    >
      {item.icon && <span className="flex w-4 shrink-0 text-soft">{item.icon}</span>}
      <span className="grow">{item.label}</span>
      {item.shortcut && <kbd className="text-soft text-xs">{keyName(item.shortcut)}</kbd>}
    </Base.Item>
  )
}
