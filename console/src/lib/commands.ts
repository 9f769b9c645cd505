import { useEffect, useRef } from 'react'
import { create } from 'zustand'

export type OfferedCommand = {
  id: string
  label: string
  group: string
  keywords?: string
  shortcut?: string
  run(): void
}

/** What the current screen adds to the search. */
export const useCommands = create<{ items: OfferedCommand[] }>(() => ({ items: [] }))

/** Offers commands until the returned function is called. */
export function offerCommands(added: readonly OfferedCommand[]): () => void {
  useCommands.setState(({ items }) => ({ items: [...items, ...added] }))
  return () =>
    useCommands.setState(({ items }) => ({ items: items.filter((item) => !added.includes(item)) }))
}

/** Offers a command while the component is shown. */
export function useCommand(command: OfferedCommand): void {
  const latest = useRef(command)
  useEffect(() => {
    latest.current = command
  })
  const { id, label, group } = command
  useEffect(() => {
    const item = { ...latest.current, id, label, group, run: () => latest.current.run() }
    return offerCommands([item])
  }, [id, label, group])
}
