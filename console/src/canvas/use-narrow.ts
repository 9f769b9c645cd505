import { useSyncExternalStore } from 'react'

const query = '(max-width: 767px)'

/** Phones: one column, and the list is the editor. */
export const useNarrow = (): boolean =>
  useSyncExternalStore(
    (onChange) => {
      const media = window.matchMedia(query)
      media.addEventListener('change', onChange)
      return () => media.removeEventListener('change', onChange)
    },
    () => window.matchMedia(query).matches,
  )
