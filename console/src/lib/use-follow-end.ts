import { type KeyboardEvent, useCallback, useRef, useState, type WheelEvent } from 'react'
import { afterScroll, type Following, following, letGo, upKeys } from './follow-end.ts'
import { isTextField } from './shortcuts.ts'

const scrolled = ({ scrollTop, scrollHeight, clientHeight }: HTMLElement) => ({
  top: scrollTop,
  height: scrollHeight,
  view: clientHeight,
})

/** Keeps the end of a scrolling element in view while its content grows. */
export function useFollowEnd() {
  const element = useRef<HTMLDivElement | null>(null)
  const state = useRef<Following>(following)
  const [isFollowing, setFollowing] = useState(true)
  const change = useCallback((next: Following) => {
    state.current = next
    setFollowing(next.isFollowing)
  }, [])
  const toEnd = useCallback(() => {
    const { current } = element
    if (current) current.scrollTop = current.scrollHeight
  }, [])
  /** For the element that grows inside the one that scrolls. */
  const content = useCallback(
    (node: HTMLElement | null) => {
      if (!node) return
      const observer = new ResizeObserver(() => {
        if (state.current.isFollowing) toEnd()
      })
      observer.observe(node)
      return () => observer.disconnect()
    },
    [toEnd],
  )
  const release = () => element.current && change(letGo(state.current, scrolled(element.current)))
  return {
    isFollowing,
    content,
    /** Back to the end, and on from there. */
    follow: useCallback(() => {
      change({ ...state.current, isFollowing: true })
      toEnd()
    }, [change, toEnd]),
    scroller: {
      ref: element,
      onScroll: () =>
        element.current && change(afterScroll(state.current, scrolled(element.current))),
      onWheel: ({ deltaY }: WheelEvent) => {
        if (deltaY < 0) release()
      },
      onTouchMove: release,
      onKeyDown: ({ key, target }: KeyboardEvent) => {
        if (upKeys.has(key) && !isTextField(target)) release()
      },
    },
  }
}
