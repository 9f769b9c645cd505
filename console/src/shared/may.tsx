import type { ReactNode } from 'react'
import { useMay } from '#console/api/session.ts'

/** Shows what needs this role only to those who have it. */
export function May({ need, children }: { need: 'editor' | 'owner'; children: ReactNode }) {
  return useMay(need) ? children : null
}
