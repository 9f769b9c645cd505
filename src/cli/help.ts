import { optionsOf } from './args.ts'
import type { Command } from './command.ts'
import { commands, groupOf } from './commands.ts'
import type { Printer } from './terminal/printer.ts'
import { wrap } from './terminal/text-table.ts'

type Painter = Pick<Printer, 'paint'>

export const environment: readonly (readonly [string, string])[] = [
  ['ATELIER_URL', 'Address of the server. Default: http://127.0.0.1:8787'],
  ['ATELIER_API_KEY', 'Key to use. Default: DATA_DIR/owner.key, for a server on this machine only'],
  ['ATELIER_EMAIL, ATELIER_PASSWORD', 'For "atelier keys", instead of being asked'],
  ['DATA_DIR', 'Data folder of a server on this machine. Default: data, in the project'],
  ['NO_COLOR', 'Anything: no colours, and plain lines instead of a display that redraws itself'],
]

export const exitCodes: readonly (readonly [string, string])[] = [
  ['0', 'Done'],
  ['1', 'It failed or was refused'],
  ['2', 'The command was not understood'],
  ['3', 'The server could not be reached'],
  ['4', 'No key, or one that may not do this'],
  ['130', 'Interrupted by Ctrl-C'],
]

export function overview({ paint }: Painter): string {
  const title = (text: string) => paint('bold', text)
  return [
    'The command line of Atelier: text, pictures, videos and workflows of an Atelier server.',
    '',
    `${title('Usage')}  atelier COMMAND [ARGUMENTS] [OPTIONS]`,
    '',
    title('Commands'),
    ...columns(commands.map(({ name, summary }) => [name, summary])),
    '',
    title('Environment'),
    ...columns(environment),
    '',
    title('Exit codes'),
    ...columns(exitCodes),
    '',
    '"atelier help COMMAND" explains one command. "atelier --version" prints the version.',
  ].join('\n')
}

export function groupHelp({ paint }: Painter, name: string): string {
  const rows = groupOf(name).map((command) => [usageOf(command), command.summary] as const)
  return [paint('bold', `atelier ${name}`), ...columns(rows)].join('\n')
}

export function commandHelp({ paint }: Painter, command: Command): string {
  const title = (text: string) => paint('bold', text)
  const { summary, about, positionals = [], examples = [] } = command
  const options = Object.entries(optionsOf(command)).map(([name, { value, help }]) => {
    const dashed = name === 'help' ? '-h, --help' : `--${name}`
    return [value ? `${dashed} ${value}` : dashed, help] as const
  })
  const section = (name: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', title(name), ...lines]
  return [
    `${summary}.`,
    ...(about ? ['', ...wrap(about, 78)] : []),
    '',
    `${title('Usage')}  atelier ${usageOf(command)} [OPTIONS]`,
    ...section('Arguments', columns(positionals.map(({ name, help }) => [name, help] as const))),
    ...section('Options', columns(options)),
    ...section(
      'Examples',
      examples.map((example) => `  ${example}`),
    ),
  ].join('\n')
}

function usageOf({ name, positionals = [] }: Command): string {
  const shown = positionals.map((argument) => {
    if (argument.kind === 'one') return argument.name
    return argument.kind === 'many' ? `[${argument.name} …]` : `[${argument.name}]`
  })
  return [name, ...shown].join(' ')
}

const leftMax = 26

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const left = Math.min(leftMax, Math.max(0, ...rows.map(([name]) => name.length)))
  const indent = ' '.repeat(left + 4)
  return rows.flatMap(([name, text]) => {
    const [first = '', ...more] = wrap(text, 78 - indent.length)
    const rest = more.map((line) => indent + line)
    return name.length > left
      ? [`  ${name}`, indent + first, ...rest]
      : [`  ${name.padEnd(left)}  ${first}`, ...rest]
  })
}
