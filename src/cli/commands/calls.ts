import type { Run } from '../command.ts'
import { withConsoleApi } from '../console-api.ts'
import { exits, usageFailure } from '../terminal/failure.ts'
import { word } from '../terminal/printer.ts'
import { printJson } from '../terminal/result.ts'
import { showMinute } from '../terminal/show.ts'
import { printTable } from '../terminal/text-table.ts'

type Call = {
  id: string
  createdAt: string
  model: string
  outcome: string
  isUnsettled: boolean
  remark: string | null
  cost: { amount: number; currency: string } | null
}

export const listUnsettled: Run = async (cli) => {
  const list = (await withConsoleApi(cli, ({ call }) =>
    call({ method: 'GET', path: '/calls?unsettled=true&size=200' }),
  )) as { items: Call[] }
  if (cli.json) printJson(cli, list)
  else {
    const rows = list.items.map(({ id, createdAt, model, remark, cost }) => [
      id,
      showMinute(createdAt),
      model,
      remark ?? '',
      showCost(cost),
    ])
    printTable(cli.out, ['CALL', 'MADE', 'MODEL', 'REMARK', 'COUNTED AS'], rows)
  }
  return exits.ok
}

export const settleCall: Run = async (cli, args) => {
  const [id, text] = [args.positional(0), args.positional(1)]
  const cost = Number(text)
  if (text.trim() === '' || !Number.isFinite(cost) || cost < 0) {
    throw usageFailure('COST is what the provider billed, such as 0 or 0.0123.')
  }
  const settled = (await withConsoleApi(cli, ({ call }) =>
    call({ method: 'POST', path: `/calls/${encodeURIComponent(id)}/settle`, body: { cost } }),
  )) as Call
  if (cli.json) printJson(cli, settled)
  else cli.out.line(`Settled ${word(settled.id)} at ${showCost(settled.cost)}`)
  return exits.ok
}

const showCost = (cost: Call['cost']): string =>
  cost === null ? 'unknown' : `${cost.amount} ${cost.currency}`
