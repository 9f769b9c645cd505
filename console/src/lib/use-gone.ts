import { useState } from 'react'

/** Whether a picture or video could not be loaded: it was deleted, or kept for no longer. */
export function useGone(src: string) {
  const [gone, setGone] = useState<string | null>(null)
  return { isGone: gone === src, onError: () => setGone(src) }
}

export const goneWords = 'No longer kept'
