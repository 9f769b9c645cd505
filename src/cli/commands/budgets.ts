import type { Args, Run } from '../command.ts'
import { withConsoleApi } from '../console-api.ts'
import { exits, usageFailure } from '../terminal/failure.ts'
import { word } from '../terminal/printer.ts'
import { printJson } from '../terminal/result.ts'
import { printTable } from '../terminal/text-table.ts'

type Money = { amount: number }
type Budget = {
  scope: string
  target: string | null
  name: string | null
  period: string
  limit: Money
  raise: { amount: Money; until: string } | null
  spent: Money
  reserved: Money
  left: Money
}
type Budgets = { items: Budget[]; tags: { scope: string; target: string; tag: string }[] }

const headings = ['BUDGET', 'PERIOD', 'LIMIT', 'SPENT', 'RESERVED', 'LEFT']

export const listBudgets: Run = async (cli) => show(cli, { method: 'GET', path: '/budgets' })

export const setBudget: Run = async (cli, args) => {
  const limit = args.positional(2)
  const body = { ...nameOf(args), limit: limit === 'none' ? null : amountOf(limit) }
  return show(cli, { method: 'PUT', path: '/budgets', body })
}

export const raiseBudget: Run = async (cli, args) => {
  const until = args.text('until')
  if (until === undefined) throw usageFailure('Say when the raise ends, with --until.')
  const body = { ...nameOf(args), amount: amountOf(args.positional(2)), until }
  return show(cli, { method: 'PUT', path: '/budgets/raise', body })
}

export const setDefaultTag: Run = async (cli, args) => {
  const [scope, target] = partsOf(args.positional(0))
  const tag = args.positional(1)
  const body = { scope, target, tag: tag === 'none' ? null : tag }
  return show(cli, { method: 'PUT', path: '/default-tags', body })
}

/** `account`, `tag:NAME`, `key:ID` or `workflow:ID`. */
function nameOf(args: Args) {
  const [scope, target] = partsOf(args.positional(0))
  return { scope, ...(target === undefined ? {} : { target }), period: args.positional(1) }
}

function partsOf(text: string): [scope: string, target?: string] {
  const colon = text.indexOf(':')
  return colon === -1 ? [text] : [text.slice(0, colon), text.slice(colon + 1)]
}

function amountOf(text: string): number {
  const amount = Number(text)
  if (text.trim() === '' || !Number.isFinite(amount) || amount < 0) {
    throw usageFailure(`"${text}" is no amount in US dollars.`)
  }
  return amount
}

async function show(
  cli: Parameters<Run>[0],
  request: { method: 'GET' | 'PUT'; path: string; body?: object },
) {
  const list = (await withConsoleApi(cli, ({ call }) => call(request))) as Budgets
  if (cli.json) printJson(cli, list)
  else {
    printTable(cli.out, headings, list.items.map(rowOf))
    for (const { scope, target, tag } of list.tags) {
      cli.out.line(`${word(scope)} ${word(target)} is counted under ${word(tag)}`)
    }
  }
  return exits.ok
}

const usd = ({ amount }: Money) => `${amount} USD`

const rowOf = ({ scope, target, name, period, limit, raise, spent, reserved, left }: Budget) => [
  [scope, name ?? target]
    .filter((part) => part !== null)
    .map((part) => word(part))
    .join(' '),
  period,
  raise ? `${usd(limit)} + ${usd(raise.amount)} until ${raise.until}` : usd(limit),
  ...[usd(spent), usd(reserved), usd(left)],
]
