import { useEffect } from 'react'
import { create } from 'zustand'

/** What the current screen adds to the breadcrumb, after its section. */
export const useBreadcrumb = create<{ trail: string[] }>(() => ({ trail: [] }))

/** A screen passes its own name last, after its parents': `useTrail('Daily digest', 'Compare')`. */
export function useTrail(...names: (string | undefined)[]): void {
  const text = JSON.stringify(names.filter((name) => name !== undefined))
  useEffect(() => {
    useBreadcrumb.setState({ trail: JSON.parse(text) as string[] })
    return () => useBreadcrumb.setState({ trail: [] })
  }, [text])
}
