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

type MenuProps = {
  /** The button at which the menu opens. */
  trigger: ReactElement
  items: readonly MenuItem[]
  align?: 'start' | 'end'
  side?: 'top' | 'bottom'
}

export function Menu({ trigger, items, align = 'end', side = 'bottom' }: MenuProps) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className="z-50" align={align} side={side} sideOffset={4}>
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
