import { useEffect } from 'react'
import { create } from 'zustand'

/** What the screen on view adds to the trail after its section. */
export const useBreadcrumb = create<{ trail: string[] }>(() => ({ trail: [] }))

/** A screen names itself and, before it, what it belongs to: `useTrail('Daily digest', 'Compare')`. */
export function useTrail(...names: (string | undefined)[]): void {
  const text = JSON.stringify(names.filter((name) => name !== undefined))
  useEffect(() => {
    useBreadcrumb.setState({ trail: JSON.parse(text) as string[] })
    return () => useBreadcrumb.setState({ trail: [] })
  }, [text])
}
