import type { ReactNode } from 'react'

export type Command = {
  id: string
  label: string
  group: string
  icon?: ReactNode
  shortcut?: string
  /** Other words that find it. */
  keywords?: string
  /** Already found for what was typed, so it is listed without looking at its words. */
  isFound?: boolean
  /** The palette is not closed by it. */
  staysOpen?: boolean
  run(): void
}

/** Every typed word must occur; labels that begin with the first word come first. */
export function matchCommands(commands: readonly Command[], query: string): Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const [first] = words
  if (first === undefined) return [...commands]
  // What the server found comes after the commands, in its own order.
  const rank = ({ label, isFound }: Command) =>
    isFound ? 2 : label.toLowerCase().startsWith(first) ? 0 : 1
  return commands
    .filter(({ label, group, keywords = '', isFound }) => {
      if (isFound) return true
      const text = `${label} ${group} ${keywords}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
    .sort((a, b) => rank(a) - rank(b))
}
