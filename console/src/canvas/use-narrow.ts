import { useMedia } from '#console/lib/use-media.ts'

/** Phones: a single column, with the list as the editor. */
export const useNarrow = (): boolean => useMedia('(max-width: 767px)')
