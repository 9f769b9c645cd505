import type { Command } from './command.ts'
import { consoleCommands } from './specs/console.ts'
import { dataCommands } from './specs/data.ts'
import { generationCommands } from './specs/generation.ts'
import { accessCommands, modelCommands, serverCommands } from './specs/service.ts'
import { triggerCommands } from './specs/triggers.ts'
import { waitCommands } from './specs/waits.ts'
import { workflowCommands } from './specs/workflows.ts'

/** All commands. Help and argument parsing both follow from this table. */
export const commands: readonly Command[] = [
  ...serverCommands,
  ...dataCommands,
  ...modelCommands,
  ...generationCommands,
  ...workflowCommands,
  ...triggerCommands,
  ...waitCommands,
  ...accessCommands,
  ...consoleCommands,
]

export type Found =
  | { kind: 'command'; command: Command; rest: readonly string[] }
  /** The first word is shared by several commands, but the second names none of them. */
  | { kind: 'group'; name: string; second: string }
  | { kind: 'unknown'; name: string }

/**
 * A group without a subcommand means its `list`: `tasks` is `tasks list`, and `runs 7` is
 * `runs list 7`, because that command takes an argument.
 */
export function findCommand(words: readonly string[]): Found {
  const [first = '', second = ''] = words
  const single = commands.find(({ name }) => name === first)
  if (single) return { kind: 'command', command: single, rest: words.slice(1) }
  const double = commands.find(({ name }) => name === `${first} ${second}`)
  if (double) return { kind: 'command', command: double, rest: words.slice(2) }
  const list = commands.find(({ name }) => name === `${first} list`)
  if (!list) return { kind: 'unknown', name: first }
  const takesMore = (list.positionals ?? []).length > 0
  const isForList = second === '' || second.startsWith('-') ? !takesMore : takesMore
  return isForList
    ? { kind: 'command', command: list, rest: words.slice(1) }
    : { kind: 'group', name: first, second }
}

export const groupOf = (name: string): readonly Command[] =>
  commands.filter((command) => command.name.startsWith(`${name} `))
