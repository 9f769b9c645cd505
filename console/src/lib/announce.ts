import { create } from 'zustand'

/** What the live region of the frame reads out: what a key did, where nothing moved focus. */
export const useAnnouncement = create<{ text: string }>(() => ({ text: '' }))

export const announce = (text: string): void => useAnnouncement.setState({ text })
