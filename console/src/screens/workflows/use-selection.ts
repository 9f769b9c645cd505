import { useRef, useState } from 'react'
import { useShortcut } from '#console/lib/use-shortcut.ts'

export type Selection = {
  ids: ReadonlySet<number>
  /** All that match are meant, also those on other pages. */
  isEverything: boolean
  has(id: number): boolean
  toggle(id: number): void
  choose(ids: readonly number[]): void
  chooseEverything(): void
  /** Others are still chosen. */
  without(ids: ReadonlySet<number>): void
  clear(): void
}

type Chosen = { ids: ReadonlySet<number>; isEverything: boolean }
const nothing: Chosen = { ids: new Set(), isEverything: false }

/**
 * The chosen rows. `x` chooses the row with the focus, X all from the last chosen to it.
 * `listed`: what the list is about; with another search, nothing is chosen.
 */
export function useSelection(listed: string, shown: readonly number[]): Selection {
  const [of, setOf] = useState(listed)
  const [chosen, setChosen] = useState(nothing)
  const last = useRef<number | null>(null)
  if (of !== listed) {
    setOf(listed)
    setChosen(nothing)
  }
  const toggle = (id: number) => {
    last.current = id
    setChosen(({ ids }) => ({
      ids: ids.has(id) ? ids.difference(new Set([id])) : ids.union(new Set([id])),
      isEverything: false,
    }))
  }
  useShortcut('x', 'Select the row', () => {
    const id = focusedRow()
    if (id !== null) toggle(id)
  })
  useShortcut('X', 'Select from the last to this row', () => {
    const [from, to] = [shown.indexOf(last.current ?? -1), shown.indexOf(focusedRow() ?? -1)]
    if (to < 0) return
    const between = shown.slice(Math.min(Math.max(from, 0), to), Math.max(from, to) + 1)
    setChosen(({ ids }) => ({ ids: ids.union(new Set(between)), isEverything: false }))
  })
  return {
    ...chosen,
    has: (id) => chosen.isEverything || chosen.ids.has(id),
    toggle,
    choose: (ids) => setChosen({ ids: new Set(ids), isEverything: false }),
    chooseEverything: () => setChosen({ ids: new Set(), isEverything: true }),
    without: (gone) =>
      setChosen(({ ids, isEverything }) => ({ ids: ids.difference(gone), isEverything })),
    clear: () => setChosen(nothing),
  }
}

function focusedRow(): number | null {
  const box = document.activeElement?.closest('tr')?.querySelector<HTMLElement>('[data-row]')
  return box ? Number(box.dataset.row) : null
}
