import type { Clock } from '#core/clock.ts'
import type { Stdin } from './arguments/ask.ts'
import type { Environment, Settings } from './settings.ts'
import type { Printer } from './terminal/printer.ts'

/** The world as a command sees it. */
export type Cli = {
  settings: Settings
  /** The server's environment, for commands about a server on this machine. */
  env: Environment
  clock: Clock
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
  stdin: Stdin
  out: Printer
  err: Printer
  /** Results are JSON: one document on one line. */
  json: boolean
}

/** What was given to a command, already checked against its row of the table. */
export type Args = {
  flag(name: string): boolean
  text(name: string): string | undefined
  number(name: string): number | undefined
  list(name: string): readonly string[]
  /** Empty where an optional one was left out. */
  place(index: number): string
  places: readonly string[]
}

/** Resolves with the exit code. */
export type Run = (cli: Cli, args: Args) => Promise<number>

export type Option = {
  kind: 'flag' | 'text' | 'number' | 'integer' | 'list'
  /** How the value is called in the help. */
  value?: string
  help: string
}

type Place = { name: string; kind: 'one' | 'optional' | 'many'; help: string }

/** One row of the table: what help prints and what arguments are read by. */
export type Command = {
  name: string
  summary: string
  about?: string
  places?: readonly Place[]
  options?: Readonly<Record<string, Option>>
  /** False where the output is no result of the server. */
  json?: false
  examples?: readonly string[]
  load(): Promise<Run>
}
