import type { ReactNode } from 'react'
import { useReadOnly } from '#console/canvas/context.ts'

/** Wraps fields that viewers can read but not change. */
export function Fields({ children }: { children: ReactNode }) {
  return (
    <fieldset disabled={useReadOnly()} className="contents">
      {children}
    </fieldset>
  )
}
