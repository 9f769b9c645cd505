import { useCallback, useRef, useSyncExternalStore } from 'react'
import { createKeptValues } from './kept-value.ts'

/** A browser may forbid storage: even to look at it throws then. */
function storageOf(name: 'localStorage' | 'sessionStorage'): Storage | null {
  try {
    return window[name]
  } catch {
    return null
  }
}

export const keptValues = createKeptValues({
  tab: storageOf('sessionStorage'),
  browser: storageOf('localStorage'),
})
window.addEventListener('pagehide', keptValues.write)

/** Like `useState`, but the value outlives the screen and the page. */
export function useKept<T>(name: string, initial: T): [T, (next: T | ((now: T) => T)) => void] {
  const first = useRef(initial)
  first.current = initial
  const value = useSyncExternalStore(keptValues.listen, () => keptValues.get(name))
  const set = useCallback(
    (next: T | ((now: T) => T)) => {
      const now = (keptValues.get(name) as T | undefined) ?? first.current
      keptValues.set(name, next instanceof Function ? next(now) : next)
    },
    [name],
  )
  return [(value as T | undefined) ?? initial, set]
}
