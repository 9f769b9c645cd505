import type { Environment } from '#config'
import type { Clock } from '#core/clock.ts'
import type { Stdin } from './arguments/ask.ts'
import type { Settings } from './settings.ts'
import type { Printer } from './terminal/printer.ts'

/** Everything a command needs from outside. */
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
  /** Print results as JSON, one document on one line. */
  json: boolean
}

/** The arguments of a command, already checked against its definition. */
export type Args = {
  flag(name: string): boolean
  text(name: string): string | undefined
  number(name: string): number | undefined
  list(name: string): readonly string[]
  /** The empty string if an optional argument was omitted. */
  positional(index: number): string
  positionals: readonly string[]
}

/** Resolves with the exit code. */
export type Run = (cli: Cli, args: Args) => Promise<number>

export type Option = {
  kind: 'flag' | 'text' | 'number' | 'integer' | 'list'
  /** The name of the value in the help text. */
  value?: string
  help: string
}

type Positional = { name: string; kind: 'one' | 'optional' | 'many'; help: string }

/** The definition of a command. Its help and the parsing of its arguments follow from it. */
export type Command = {
  name: string
  summary: string
  about?: string
  positionals?: readonly Positional[]
  options?: Readonly<Record<string, Option>>
  /** False if the command has no result to print, so that it has no --json option. */
  json?: false
  examples?: readonly string[]
  load(): Promise<Run>
}
