import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { cx } from '#console/lib/cx.ts'
import { TextInput } from '#console/ui/text-input.tsx'
import { searchRank } from './other-words.ts'

export type SearchItem = {
  readonly key: string
  readonly label: string
  readonly note?: string
  readonly icon?: ReactNode
  readonly search?: string
  /** Other words for it, which come before a mere mention. */
  readonly words?: string
  /** Why it cannot be chosen; shown in place of the note. */
  readonly refused?: string | null
}

type SearchListProps = {
  label: string
  items: readonly SearchItem[]
  onChoose(key: string): void
}

/** An always open list, filtered by typing and navigated with the arrow keys. */
export function SearchList({ label, items, onChoose }: SearchListProps) {
  const id = useId()
  const [search, setSearch] = useState('')
  const [at, setAt] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const found = findItems(items, search)
  const current = Math.min(at, found.length - 1)
  useEffect(() => {
    list.current?.children[current]?.scrollIntoView({ block: 'nearest' })
  }, [current])
  const choose = (item: SearchItem | undefined) => {
    if (item && !item.refused) onChoose(item.key)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) setAt((current + step + found.length) % Math.max(1, found.length))
    else if (event.key === 'Enter') choose(found[current])
    else return
    event.preventDefault()
  }
  return (
    <div className="flex flex-col gap-2 p-1">
      <TextInput
        autoFocus
        role="combobox"
        aria-label={label}
        aria-expanded
        aria-controls={id}
        aria-activedescendant={found.length > 0 ? `${id}-${current}` : undefined}
        autoComplete="off"
        value={search}
        onChange={(event) => {
          setSearch(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div
        ref={list}
        id={id}
        role="listbox"
        aria-label={label}
        className="max-h-80 overflow-y-auto"
      >
        {found.map((item, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field above
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
          <div
            key={item.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === current}
            aria-disabled={item.refused ? true : undefined}
            onClick={() => choose(item)}
            onPointerMove={() => setAt(index)}
            className={cx(
              'flex cursor-pointer items-start gap-2 rounded-sm px-2 py-1.5',
              index === current && 'bg-sunken',
              item.refused && 'cursor-not-allowed text-soft',
            )}
          >
            {item.icon && <span className="mt-0.5 text-soft">{item.icon}</span>}
            <span className="min-w-0">
              <span className="block">{item.label}</span>
              {(item.refused ?? item.note) && (
                <span className="block text-soft text-xs">{item.refused ?? item.note}</span>
              )}
            </span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="px-2 text-soft text-sm">Nothing matches.</p>}
    </div>
  )
}

/** Items that contain every word, the likeliest first. */
function findItems(items: readonly SearchItem[], search: string): SearchItem[] {
  const typed = search.trim().toLowerCase()
  const words = typed.split(/\s+/).filter(Boolean)
  const rank = ({ label, words: others = '' }: SearchItem) => searchRank(label, others, typed)
  return items
    .filter(({ label, search: text = label }) =>
      words.every((word) => text.toLowerCase().includes(word)),
    )
    .sort((a, b) => (typed === '' ? 0 : rank(a) - rank(b)))
}
