import { EllipsisVertical } from 'lucide-react'
import { LazyMenu } from './lazy-menu.tsx'
import type { MenuItem } from './menu.tsx'

/** The actions for a row of a table. */
export function RowMenu({ name, items }: { name: string; items: readonly MenuItem[] }) {
  return (
    <LazyMenu
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
