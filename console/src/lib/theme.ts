import { create } from 'zustand'

export type Theme = 'system' | 'light' | 'dark'

// The script that runs before the first paint reads the same key.
const storageKey = 'atelier:theme'

function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(storageKey)
    return stored === 'light' || stored === 'dark' ? stored : 'system'
  } catch {
    return 'system'
  }
}

export const useTheme = create<{ theme: Theme; choose(theme: Theme): void }>((set) => ({
  theme: storedTheme(),
  choose(theme) {
    const root = document.documentElement
    if (theme === 'system') delete root.dataset.theme
    else root.dataset.theme = theme
    try {
      if (theme === 'system') localStorage.removeItem(storageKey)
      else localStorage.setItem(storageKey, theme)
    } catch {
      // Without storage the choice lasts until the page is reloaded.
    }
    set({ theme })
  },
}))
