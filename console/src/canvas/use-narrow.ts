import { useSyncExternalStore } from 'react'

const query = '(max-width: 767px)'

/** Phones: a single column, with the list as the editor. */
export const useNarrow = (): boolean =>
  useSyncExternalStore(
    (onChange) => {
      const media = window.matchMedia(query)
      media.addEventListener('change', onChange)
      return () => media.removeEventListener('change', onChange)
    },
    () => window.matchMedia(query).matches,
  )
