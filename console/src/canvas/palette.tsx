import { CalendarClock, Search } from 'lucide-react'
import { useMemo, useState } from 'react'
import { cx } from '#console/lib/cx.ts'
import { TextInput } from '#console/ui/text-input.tsx'
import { useView } from './context.ts'
import { dragFormat } from './drop.ts'
import { findTypes, groupTypes, startsMatch } from './find-types.ts'
import { NamedIcon } from './icons.tsx'
import type { NodeTypeInfo } from './node-types.ts'

type PaletteProps = {
  /** A panel beside the graph needs the room, unless the window is wide. */
  isFolded: boolean
  onAdd(info: NodeTypeInfo, at: null): void
  onTriggers: (() => void) | null
}

const row =
  'flex min-h-8 w-full items-center gap-2 rounded-sm px-2 text-left text-sm hover:bg-sunken'

/** Every node type, to drag onto the graph or to add with a click. */
export function Palette({ isFolded, onAdd, onTriggers }: PaletteProps) {
  const items = useView((state) => state.types.items)
  const [search, setSearch] = useState('')
  const groups = useMemo(() => groupTypes(findTypes(items, search)), [items, search])
  const isStartFound = onTriggers !== null && startsMatch(search)
  return (
    <aside
      aria-label="Node types"
      className={cx(
        'flex w-52 shrink-0 flex-col border-line border-r bg-card max-[1100px]:hidden',
        isFolded && 'max-[1439px]:hidden',
      )}
    >
      <div className="relative p-2">
        <Search size={14} className="absolute top-4.5 left-4.5 text-soft" aria-hidden />
        <TextInput
          type="search"
          aria-label="Search node types"
          placeholder="Search nodes"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          className="pl-8"
        />
      </div>
      <div className="min-h-0 grow overflow-y-auto px-2 pb-4">
        {isStartFound && (
          <section aria-label="Start" className="mb-3">
            <h2 className="px-2 py-1 text-soft text-xs">Start</h2>
            <button
              type="button"
              title="A trigger starts the workflow by itself. It is kept beside the graph, not in it."
              onClick={onTriggers}
              className={row}
            >
              <CalendarClock size={16} className="text-soft" aria-hidden />
              Schedule or webhook
            </button>
          </section>
        )}
        {groups.map((group) => (
          <section key={group.name} aria-label={group.name} className="mb-3">
            <h2 className="px-2 py-1 text-soft text-xs">{group.name}</h2>
            <ul>
              {group.items.map((info) => (
                <li key={info.type}>
                  <button
                    type="button"
                    draggable
                    title={info.help}
                    onClick={() => onAdd(info, null)}
                    onDragStart={(event) => event.dataTransfer.setData(dragFormat, info.type)}
                    className={row}
                  >
                    <span className="text-soft">
                      <NamedIcon name={info.icon} />
                    </span>
                    {info.label}
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
        {groups.length === 0 && !isStartFound && (
          <p className="px-2 text-soft text-sm">Nothing matches.</p>
        )}
      </div>
    </aside>
  )
}
