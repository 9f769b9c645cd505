import { create } from 'zustand'

type SideBar = { chosen: boolean | null; choose(isNarrow: boolean): void }

/**
 * Whether the person chose that the side bar shows only icons. Until they choose, it does so beside
 * a canvas, which needs the space. Windows below 1100 px always show only icons.
 */
export const useSideBar = create<SideBar>((set) => ({
  chosen: null,
  choose: (isNarrow) => set({ chosen: isNarrow }),
}))

export const isCanvas = (pathname: string): boolean =>
  /^\/workflows\/[^/]+$/.test(pathname) && !pathname.endsWith('/new')
