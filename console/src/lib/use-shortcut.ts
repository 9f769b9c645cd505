import { useEffect, useRef } from 'react'
import { addShortcut, type Shortcut } from './shortcuts.ts'

/** Registers a shortcut while the component is mounted. */
export function useShortcut(
  keys: string,
  label: string,
  run: NonNullable<Shortcut['run']>,
  { group = 'This page', enabled = true }: { group?: string; enabled?: boolean } = {},
): void {
  const latest = useRef(run)
  useEffect(() => {
    latest.current = run
  })
  useEffect(() => {
    if (!enabled) return
    return addShortcut({ keys, label, group, run: (event) => latest.current(event) })
  }, [keys, label, group, enabled])
}
