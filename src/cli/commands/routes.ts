import { readObject } from '../arguments/inputs.ts'
import type { Args, Cli, Run } from '../command.ts'
import { withConsoleApi } from '../console-api.ts'
import { exits, usageFailure } from '../terminal/failure.ts'
import { word } from '../terminal/printer.ts'
import { printJson } from '../terminal/result.ts'
import { printTable } from '../terminal/text-table.ts'

type Route = {
  id: string
  candidates: { model: string; weight?: number }[]
  sort?: string
  on?: string[]
  isOperators: boolean
  usable: string[]
}

export const listRoutes: Run = async (cli) => {
  const list = (await withConsoleApi(cli, ({ call }) =>
    call({ method: 'GET', path: '/routes' }),
  )) as { items: Route[] }
  if (cli.json) printJson(cli, list)
  else {
    const rows = list.items.map((route) => [word(route.id), modelsOf(route), movesOf(route)])
    printTable(cli.out, ['ROUTE', 'MODELS', 'MOVES ON'], rows)
  }
  return exits.ok
}

export const setRoute: Run = async (cli, args) => {
  const name = args.positional(0)
  const body = await readRoute(cli, args)
  const path = `/routes/${encodeURIComponent(name)}`
  const route = (await withConsoleApi(cli, ({ call }) =>
    call({ method: 'PUT', path, body }),
  )) as Route
  if (cli.json) printJson(cli, route)
  else cli.out.line(`${word(route.id)}: ${modelsOf(route)}`)
  return exits.ok
}

export const removeRoute: Run = async (cli, args) => {
  const name = args.positional(0)
  const path = `/routes/${encodeURIComponent(name)}`
  const removed = await withConsoleApi(cli, ({ call }) => call({ method: 'DELETE', path }))
  if (cli.json) printJson(cli, removed)
  else cli.out.line(`${word(name)} is gone`)
  return exits.ok
}

async function readRoute(cli: Cli, args: Args): Promise<object> {
  const file = args.text('file')
  const models = args.list('model')
  if ((file === undefined) === (models.length === 0)) {
    throw usageFailure('Give the models with --model, or the whole route with --file.')
  }
  if (file !== undefined) return readObject(cli, file)
  const [sort, on] = [args.text('sort'), args.list('on')]
  return {
    candidates: models.map((model) => ({ model })),
    ...(sort === undefined ? {} : { sort }),
    ...(on.length === 0 ? {} : { on }),
  }
}

/** Those that cannot be called now, or that miss a condition, are in brackets. */
const modelsOf = ({ candidates, usable }: Route): string =>
  candidates
    .map(({ model, weight }) => {
      const named = weight === undefined ? word(model) : `${word(model)} (${weight})`
      return usable.includes(model) ? named : `[${named}]`
    })
    .join(', ')

const movesOf = ({ on = [], isOperators }: Route): string =>
  `${on.join(', ') || 'nothing'}${isOperators ? ' (from MODELS_FILE)' : ''}`
