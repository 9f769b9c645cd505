import { EllipsisVertical } from 'lucide-react'
import { Menu, type MenuItem } from './menu.tsx'

/** The actions for a row of a table. */
export function RowMenu({ name, items }: { name: string; items: readonly MenuItem[] }) {
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={`Actions for ${name}`}
          className="inline-flex size-8 items-center justify-center rounded-sm text-soft hover:bg-sunken hover:text-ink pointer-coarse:size-11"
        >
          <EllipsisVertical size={16} aria-hidden />
        </button>
      }
      items={items}
    />
  )
}
