import { create } from 'zustand'

/** What the frame's live region reads out: what a key did, if it did not move the focus. */
export const useAnnouncement = create<{ text: string }>(() => ({ text: '' }))

export const announce = (text: string): void => useAnnouncement.setState({ text })

/** Takes back what no longer holds, unless something else has been said since. */
export const withdraw = (text: string): void => {
  if (useAnnouncement.getState().text === text) announce('')
}
