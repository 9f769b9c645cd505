import type { Cli, Run } from '../command.ts'
import { withConsoleApi } from '../console-api.ts'
import { exits } from '../terminal/failure.ts'
import { word } from '../terminal/printer.ts'
import { printJson, readId } from '../terminal/result.ts'
import { showMinute } from '../terminal/show.ts'
import { printTable } from '../terminal/text-table.ts'

type Secret = { secret: string; previousValidUntil: string | null }
type Delivery = {
  id: string
  runId: string
  status: string
  attempts: number
  lastStatusCode: number | null
  url: string
  createdAt: string
}

export const showSecret: Run = async (cli) => {
  const path = '/webhook-secret'
  return printSecret(cli, await withConsoleApi(cli, ({ call }) => call({ method: 'GET', path })))
}

export const rotateSecret: Run = async (cli) => {
  const path = '/webhook-secret/rotate'
  return printSecret(cli, await withConsoleApi(cli, ({ call }) => call({ method: 'POST', path })))
}

function printSecret(cli: Cli, shown: unknown): number {
  const { secret, previousValidUntil } = shown as Secret
  if (cli.json) printJson(cli, shown)
  else {
    cli.out.line(word(secret))
    if (previousValidUntil !== null) {
      cli.err.line(`The previous secret is valid until ${showMinute(previousValidUntil)}.`)
    }
  }
  return exits.ok
}

export const listDeliveries: Run = async (cli, args) => {
  const query = new URLSearchParams()
  const [status, run] = [args.text('status'), args.text('run')]
  if (status !== undefined) query.set('status', status)
  if (run !== undefined) query.set('runId', readId(run, 'run'))
  const list = await withConsoleApi(cli, ({ call }) =>
    call({ method: 'GET', path: `/deliveries?${query}` }),
  )
  if (cli.json) printJson(cli, list)
  else {
    const { items, next } = list as { items: Delivery[]; next: string | null }
    const rows = items.map((delivery) => [
      delivery.id,
      delivery.status,
      String(delivery.attempts),
      String(delivery.lastStatusCode ?? ''),
      delivery.url,
      showMinute(delivery.createdAt),
    ])
    printTable(cli.out, ['ID', 'STATUS', 'TRIES', 'ANSWER', 'URL', 'CREATED'], rows)
    if (next !== null) cli.err.line('There are older ones: narrow the list with --status or --run.')
  }
  return exits.ok
}

export const redeliver: Run = async (cli, args) => {
  const id = readId(args.positional(0), 'delivery')
  const delivery = await withConsoleApi(cli, ({ call }) =>
    call({ method: 'POST', path: `/deliveries/${id}/redeliver` }),
  )
  if (cli.json) printJson(cli, delivery)
  else cli.out.line(`Delivering ${word((delivery as Delivery).id)} again`)
  return exits.ok
}
