import { create } from 'zustand'

/** Whether the side bar shows icons only, by choice; below 1100 px it does so anyway. */
export const useSideBar = create<{ isNarrow: boolean; toggle(): void }>((set) => ({
  isNarrow: false,
  toggle: () => set(({ isNarrow }) => ({ isNarrow: !isNarrow })),
}))
