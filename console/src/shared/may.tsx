import type { ReactNode } from 'react'
import { useMay } from '#console/api/session.ts'

/** Renders its children only for people who have this role. */
export function May({ need, children }: { need: 'editor' | 'owner'; children: ReactNode }) {
  return useMay(need) ? children : null
}
