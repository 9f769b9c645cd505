import type { ReactNode } from 'react'

export type Command = {
  id: string
  label: string
  group: string
  icon?: ReactNode
  shortcut?: string
  /** Other words that find it. */
  keywords?: string
  run(): void
}

/** Every typed word must occur; labels that begin with the first word come first. */
export function matchCommands(commands: readonly Command[], query: string): Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const [first] = words
  if (first === undefined) return [...commands]
  const rank = (command: Command) => (command.label.toLowerCase().startsWith(first) ? 0 : 1)
  return commands
    .filter(({ label, group, keywords = '' }) => {
      const text = `${label} ${group} ${keywords}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
    .sort((a, b) => rank(a) - rank(b))
}
