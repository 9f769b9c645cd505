import type { Environment } from '#config'
import { packageVersion } from '#operate/package-version.ts'
import { readArgs } from './args.ts'
import type { Cli } from './command.ts'
import { findCommand } from './commands.ts'
import { commandHelp, groupHelp, overview } from './help.ts'
import { readSettings, type Settings } from './settings.ts'
import {
  CliFailure,
  exits,
  type FailureReport,
  reportFailure,
  usageFailure,
} from './terminal/failure.ts'
import { word } from './terminal/printer.ts'

/** What main.ts provides. Settings are read later, so that a bad one is reported like any error. */
export type World = Omit<Cli, 'settings' | 'json'> & { env: Environment }

/** Runs the command the words name, prints any failure, and resolves with the exit code. */
export async function dispatch(world: World, words: readonly string[]): Promise<number> {
  const json = beforeDashes(words).includes('--json')
  let url = ''
  try {
    const help = helpFor(world, words)
    if (help !== null) {
      world.out.line(help)
      return exits.ok
    }
    const found = findCommand(words)
    if (found.kind === 'unknown') throw noSuchCommand(found.name)
    if (found.kind === 'group') {
      throw usageFailure(
        found.second === '' || found.second.startsWith('-')
          ? `"atelier ${found.name}" needs a subcommand.`
          : `"atelier ${found.name}" has no subcommand "${word(found.second)}".`,
        `"atelier help ${found.name}" lists its subcommands.`,
      )
    }
    const args = readArgs(found.command, found.rest)
    const settings: Settings = readSettings(world.env)
    url = settings.url
    const run = await found.command.load()
    return await run({ ...world, settings, json }, args)
  } catch (error) {
    const report = reportFailure(world.signal.aborted ? interruptedBy(error, world) : error, url)
    if (json) world.err.line(asJson(report))
    else printFailure(world, report)
    return report.exitCode
  }
}

/** After Ctrl-C, the error of the aborted call is replaced by the reason for the abort. */
const interruptedBy = (error: unknown, { signal }: World): unknown =>
  error instanceof CliFailure ? error : signal.reason

/** Words after a lone `--` are never options. */
const beforeDashes = (words: readonly string[]): readonly string[] =>
  words.includes('--') ? words.slice(0, words.indexOf('--')) : words

/** The help or version text, if the words ask for it instead of a command. */
function helpFor({ out }: World, words: readonly string[]): string | null {
  const [first] = words
  if (first === '--version' || first === '-v') return `atelier ${packageVersion()}`
  if (first === undefined || first === '--help' || first === '-h') return overview(out)
  const asked = beforeDashes(words)
  const isHelp = first === 'help'
  if (!isHelp && !asked.includes('--help') && !asked.includes('-h')) return null
  const named = (isHelp ? words.slice(1) : words).filter((text) => !text.startsWith('-'))
  if (named.length === 0) return overview(out)
  const [group = '', second = ''] = named
  const found = findCommand(named)
  if (found.kind === 'unknown') throw noSuchCommand(group)
  const isNamed =
    found.kind === 'command' && [group, `${group} ${second}`].includes(found.command.name)
  return isNamed ? commandHelp(out, found.command) : groupHelp(out, group)
}

const noSuchCommand = (name: string) =>
  usageFailure(`There is no command "${word(name)}".`, '"atelier help" lists them.')

function printFailure({ err }: World, report: FailureReport) {
  const { code, message, issues, hint, requestId } = report
  const isOurs = code === 'USAGE' || code === 'INTERRUPTED'
  const label = isOurs ? '' : ` ${err.paint('dim', `(${word(code)})`)}`
  err.line(`${err.paint('red', 'atelier:')} ${word(message)}${label}`)
  for (const issue of issues) err.line(`  ${word(issue)}`)
  for (const line of hint?.split('\n') ?? []) err.line(word(line))
  if (requestId) err.line(err.paint('dim', `Request ${word(requestId)}`))
}

const asJson = (report: FailureReport): string => {
  const { exitCode, code, message, retryable, details, requestId, hint } = report
  return JSON.stringify({ error: { code, message, retryable, details, requestId, hint, exitCode } })
}
