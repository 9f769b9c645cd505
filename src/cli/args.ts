import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import type { Args, Command, Option } from './command.ts'
import { usageFailure } from './terminal/failure.ts'

const common: Record<string, Option> = {
  help: { kind: 'flag', help: 'Show this help.' },
}
const jsonOption: Record<string, Option> = {
  json: { kind: 'flag', help: 'Print the result as one line of JSON.' },
}

export const optionsOf = (command: Command): Readonly<Record<string, Option>> => ({
  ...command.options,
  ...(command.json === false ? {} : jsonOption),
  ...common,
})

export function readArgs(command: Command, given: readonly string[]): Args {
  const options = optionsOf(command)
  const { values, positionals } = parseStrictly(command, options, given)
  checkPositionals(command, positionals)
  const valueAt = (name: string) => {
    if (!options[name]) throw new Error(`"${command.name}" has no option "${name}" in its table`)
    return values[name]
  }
  for (const [name, { kind }] of Object.entries(options)) {
    const value = values[name]
    if (typeof value !== 'string') continue
    const isNumber = kind === 'number' || kind === 'integer'
    const pattern = kind === 'integer' ? /^-?[0-9]{1,15}$/ : /^-?[0-9]{1,15}(\.[0-9]{1,15})?$/
    if (isNumber && !pattern.test(value)) {
      throw usageFailure(`--${name} accepts ${kind === 'integer' ? 'a whole number' : 'a number'}.`)
    }
  }
  return {
    flag: (name) => valueAt(name) === true,
    text: (name) => valueAt(name) as string | undefined,
    number: (name) => (valueAt(name) === undefined ? undefined : Number(valueAt(name))),
    list: (name) => (valueAt(name) as string[] | undefined) ?? [],
    positional: (index) => positionals[index] ?? '',
    positionals,
  }
}

function parseStrictly(
  command: Command,
  options: Readonly<Record<string, Option>>,
  given: readonly string[],
) {
  const config: ParseArgsOptionsConfig = {}
  for (const [name, { kind }] of Object.entries(options)) {
    config[name] = { type: kind === 'flag' ? 'boolean' : 'string', multiple: kind === 'list' }
  }
  config.help = { type: 'boolean', short: 'h' }
  try {
    return parseArgs({ args: [...given], options: config, allowPositionals: true, strict: true })
  } catch (error) {
    // The first sentence of Node's message names the option; the rest is about the parser.
    const [message = ''] = (error as Error).message.split(/\. |\n/)
    throw usageFailure(`${message.replace(/\.$/, '')}.`, seeHelp(command))
  }
}

function checkPositionals(command: Command, given: readonly string[]) {
  const expected = command.positionals ?? []
  const missing = expected.find(({ kind }, i) => kind === 'one' && given[i] === undefined)
  if (missing) throw usageFailure(`${missing.name} is missing.`, seeHelp(command))
  const takesMany = expected.some(({ kind }) => kind === 'many')
  if (!takesMany && given.length > expected.length) {
    const extra = given[expected.length]
    throw usageFailure(`"${extra}" is one argument too many.`, seeHelp(command))
  }
}

const seeHelp = ({ name }: Command) => `"atelier help ${name}" shows how it is used.`
