/** Whether Mod is ⌘ on this machine. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** "Mod+K" as this platform writes it. */
export const keyName = (combination: string): string =>
  combination
    .replace('Shift+', isMac ? '⇧' : 'Shift ')
    .replace('Alt+', isMac ? '⌥' : 'Alt ')
    .replace('Mod+', isMac ? '⌘' : 'Ctrl ')
