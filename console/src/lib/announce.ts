import { create } from 'zustand'

/** What the frame's live region reads out: what a key did, if it did not move the focus. */
export const useAnnouncement = create<{ text: string }>(() => ({ text: '' }))

export const announce = (text: string): void => useAnnouncement.setState({ text })
