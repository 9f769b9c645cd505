import { useEffect, useRef } from 'react'

/** The page that the browser opened keeps the focus where the browser puts it: at the beginning. */
let isFirstPage = true

/** For the h1 of a screen: sets the title of the window, and takes the focus on navigation. */
export function usePageHeading(title: string) {
  const h1 = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Atelier`
  }, [title])
  useEffect(() => {
    const current = document.activeElement
    // If the screen has placed the focus itself (in a prompt, a search), it stays there.
    if (!isFirstPage && (current === document.body || current?.closest('nav')))
      h1.current?.focus({ preventScroll: true })
    isFirstPage = false
  }, [])
  return h1
}
