// The one keyboard map. Every shortcut is registered with the label that `?` lists; none works
// inside a text field except the few that people expect there.
import { create } from 'zustand'

export type Shortcut = {
  /** "Mod+S", "Shift+1", "g o", "?", "F8". Mod is Ctrl or ⌘. */
  keys: string
  label: string
  group: string
  /** Null for a key that is only listed here, such as the browser's own copy and paste. */
  run: ((event: KeyboardEvent) => void) | null
}

const alsoInText = new Set(['Mod+S', 'Mod+Enter', 'Mod+K', 'Escape'])
/** How long the second key of "g o" may take: long enough for slow hands and slow machines. */
const sequenceMs = 5000

export const useShortcuts = create<{ items: Shortcut[] }>(() => ({ items: [] }))

/** Later registrations win, so a dialog may take over a key. Returns a function that removes it. */
export function addShortcut(shortcut: Shortcut): () => void {
  useShortcuts.setState(({ items }) => ({ items: [...items, shortcut] }))
  return () =>
    useShortcuts.setState(({ items }) => ({ items: items.filter((item) => item !== shortcut) }))
}

type KeyLike = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey' | 'code'>

/** The combination as the map spells it: `{ctrl, k}` is "Mod+K". */
export function combinationOf(event: KeyLike): string {
  const { key, code } = event
  const digit = /^Digit(\d)$/.exec(code)?.[1]
  const hasMod = event.ctrlKey || event.metaKey
  // "?" needs Shift on most keyboards, so Shift is named only for letters with Mod or Alt, digits
  // and named keys.
  const isNamed = key.length > 1
  const base = event.shiftKey && digit ? digit : hasMod || event.altKey ? key.toUpperCase() : key
  const name = isNamed ? key : base
  const showsShift = event.shiftKey && (isNamed || hasMod || event.altKey || digit !== undefined)
  return [showsShift ? 'Shift+' : '', event.altKey ? 'Alt+' : '', hasMod ? 'Mod+' : '', name].join(
    '',
  )
}

export const isTextField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.shadowRoot !== null ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !/^(checkbox|radio|range|button|submit)$/.test((target as HTMLInputElement).type ?? '')

/** Listens for the whole page; called once. */
export function listenForShortcuts(target: Window): () => void {
  let first: { key: string; atMs: number } | null = null
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return
    const combination = combinationOf(event)
    if (isTextField(event.target) && !alsoInText.has(combination)) return
    const { items } = useShortcuts.getState()
    const isRecent = first !== null && event.timeStamp - first.atMs < sequenceMs
    const sequence = isRecent ? `${first?.key} ${combination}` : null
    first = null
    const found =
      items.findLast((item) => item.keys === sequence) ??
      items.findLast((item) => item.keys === combination)
    if (found) {
      if (!found.run) return
      event.preventDefault()
      found.run(event)
    } else if (items.some((item) => item.keys.startsWith(`${combination} `))) {
      first = { key: combination, atMs: event.timeStamp }
    }
  }
  target.addEventListener('keydown', onKeyDown)
  return () => target.removeEventListener('keydown', onKeyDown)
}
