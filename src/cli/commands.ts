import type { Command } from './command.ts'
import { generationCommands } from './specs/generation.ts'
import { accessCommands, serverCommands } from './specs/service.ts'
import { workflowCommands } from './specs/workflows.ts'

/** The one table: help is printed from it, arguments are read by it. */
export const commands: readonly Command[] = [
  ...serverCommands,
  ...generationCommands,
  ...workflowCommands,
  ...accessCommands,
]

export type Found =
  | { kind: 'command'; command: Command; rest: readonly string[] }
  /** A first word that several commands share; what follows names none of them. */
  | { kind: 'group'; name: string; second: string }
  | { kind: 'unknown'; name: string }

/** `tasks` alone, or with something that is no command of it, means `tasks list`. */
export function findCommand(words: readonly string[]): Found {
  const [first = '', second = ''] = words
  const single = commands.find(({ name }) => name === first)
  if (single) return { kind: 'command', command: single, rest: words.slice(1) }
  const double = commands.find(({ name }) => name === `${first} ${second}`)
  if (double) return { kind: 'command', command: double, rest: words.slice(2) }
  const list = commands.find(({ name }) => name === `${first} list`)
  if (!list) return { kind: 'unknown', name: first }
  const takesMore = (list.places ?? []).length > 0
  const isForList = second === '' || second.startsWith('-') ? !takesMore : takesMore
  return isForList
    ? { kind: 'command', command: list, rest: words.slice(1) }
    : { kind: 'group', name: first, second }
}

export const groupOf = (name: string): readonly Command[] =>
  commands.filter((command) => command.name.startsWith(`${name} `))
