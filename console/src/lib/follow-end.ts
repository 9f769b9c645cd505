// Whether a list that grows at its end keeps the end in view. It does until the reader moves away
// from the end, and again once they are back. Pure; use-follow-end.ts connects it with an element.

/** Closer to the end than this counts as being there. */
export const endPx = 48

export type Scrolled = { top: number; height: number; view: number }

export type Following = { isFollowing: boolean; lastTop: number }

export const following: Following = { isFollowing: true, lastTop: 0 }

const distanceOf = ({ top, height, view }: Scrolled): number => height - view - top

/** The element has scrolled, by whatever cause. Up means away, down to the end means back. */
export function afterScroll({ isFollowing, lastTop }: Following, now: Scrolled): Following {
  const isAtEnd = distanceOf(now) <= endPx
  if (now.top < lastTop - 1) return { isFollowing: isFollowing && isAtEnd, lastTop: now.top }
  return { isFollowing: isAtEnd || isFollowing, lastTop: now.top }
}

/** The reader asks to go up: this comes before the scroll, which could be overtaken by new text. */
export const letGo = (state: Following, now: Scrolled): Following =>
  now.height > now.view ? { ...state, isFollowing: false } : state

export const upKeys = new Set(['PageUp', 'ArrowUp', 'Home'])
