import { create } from 'zustand'

type SideBar = { chosen: boolean | null; choose(isNarrow: boolean): void }

/**
 * Whether the side bar shows icons only, by choice. Without one it does so beside a canvas, which
 * needs the room, and below 1100 px.
 */
export const useSideBar = create<SideBar>((set) => ({
  chosen: null,
  choose: (isNarrow) => set({ chosen: isNarrow }),
}))

export const isCanvas = (pathname: string): boolean =>
  /^\/workflows\/[^/]+$/.test(pathname) && !pathname.endsWith('/new')
