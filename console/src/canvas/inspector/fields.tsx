import type { ReactNode } from 'react'
import { useReadOnly } from '#console/canvas/context.ts'

/** Around fields that whoever may only look can read, but not change. */
export function Fields({ children }: { children: ReactNode }) {
  return (
    <fieldset disabled={useReadOnly()} className="contents">
      {children}
    </fieldset>
  )
}
