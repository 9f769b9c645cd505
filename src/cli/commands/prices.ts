import type { Args, Run } from '../command.ts'
import { type ConsoleApi, withConsoleApi, withSession } from '../console-api.ts'
import { exits, usageFailure } from '../terminal/failure.ts'
import { word } from '../terminal/printer.ts'
import { printJson } from '../terminal/result.ts'
import { printTable } from '../terminal/text-table.ts'

type StandIn = { model: string; kind: string; pricing: Record<string, number> | null }
type StandIns = { items: StandIn[] }

/** Options, and the prices that they set. */
const prices = {
  input: 'inputPerMillionTokens',
  output: 'outputPerMillionTokens',
  image: 'perImage',
  second: 'perSecond',
  hour: 'inputAudioPerHour',
  characters: 'inputPerMillionCharacters',
} as const

export const listStandIns: Run = async (cli) => {
  const list = (await withConsoleApi(cli, ({ call }) =>
    call({ method: 'GET', path: '/stand-in-prices' }),
  )) as StandIns
  if (cli.json) printJson(cli, list)
  else {
    const rows = list.items.map(({ model, kind, pricing }) => [
      word(model),
      kind,
      pricing ? wordsOf(pricing) : 'none: refused under a limit',
    ])
    printTable(cli.out, ['MODEL', 'KIND', 'STAND-IN PRICE'], rows)
  }
  return exits.ok
}

export const setStandIn: Run = async (cli, args) => {
  const pricing = readPrices(args)
  const model = args.positional(0)
  const list = await withSession(cli, change({ model, pricing }))
  if (cli.json) printJson(cli, list)
  else cli.out.line(`${word(model)}: ${wordsOf(pricing)}`)
  return exits.ok
}

export const removeStandIn: Run = async (cli, args) => {
  const model = args.positional(0)
  const list = await withSession(cli, change({ model, pricing: null }))
  if (cli.json) printJson(cli, list)
  else cli.out.line(`${word(model)} has no stand-in price now`)
  return exits.ok
}

/** Needs a person: a key with a limit could make its own calls free. */
const change =
  (body: { model: string; pricing: Record<string, number> | null }) =>
  async ({ call }: ConsoleApi) =>
    (await call({ method: 'PUT', path: '/stand-in-prices', body })) as StandIns

function readPrices(args: Args): Record<string, number> {
  const given: Record<string, number> = {}
  for (const [option, name] of Object.entries(prices)) {
    const text = args.text(option)
    if (text === undefined) continue
    const price = Number(text)
    if (text.trim() === '' || !(price >= 0)) throw usageFailure(`--${option} must be 0 or more.`)
    given[name] = price
  }
  if (Object.keys(given).length === 0) {
    throw usageFailure(`Give a price: --${Object.keys(prices).join(', --')}.`)
  }
  return given
}

const wordsOf = (pricing: Record<string, number>): string =>
  Object.entries(prices)
    .flatMap(([option, name]) =>
      pricing[name] === undefined ? [] : [`${option} ${pricing[name]}`],
    )
    .join(', ')
