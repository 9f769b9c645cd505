import type { Run } from '../command.ts'
import { withConsoleApi } from '../console-api.ts'
import { exits, usageFailure } from '../terminal/failure.ts'
import { word } from '../terminal/printer.ts'
import { printJson, readId } from '../terminal/result.ts'
import { showMinute } from '../terminal/show.ts'
import { printTable } from '../terminal/text-table.ts'

type KeyRecord = {
  id: string
  name: string
  display: string
  scopes: string[]
  expiresAt: string | null
  lastUsedAt: string | null
  revokedAt: string | null
}

export const listKeys: Run = async (cli) => {
  const list = await withConsoleApi(cli, ({ call }) => call({ method: 'GET', path: '/api-keys' }))
  if (cli.json) printJson(cli, list)
  else {
    const { items } = list as { items: KeyRecord[] }
    const rows = items.map((key) => [
      key.id,
      stateOf(key, cli.clock.nowMs()),
      key.display,
      key.name,
      showMinute(key.lastUsedAt),
    ])
    printTable(cli.out, ['ID', 'STATE', 'KEY', 'NAME', 'LAST USED'], rows)
  }
  return exits.ok
}

function stateOf({ revokedAt, expiresAt }: KeyRecord, nowMs: number): string {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && Date.parse(expiresAt) <= nowMs ? 'expired' : 'live'
}

export const createKey: Run = async (cli, args) => {
  const name = args.text('name')
  if (name === undefined) throw usageFailure('--name is missing.')
  const scopes = args.list('scope')
  const expires = args.text('expires')
  const body = {
    name,
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(expires === undefined ? {} : { expiresAt: readTime(expires) }),
  }
  const made = await withConsoleApi(cli, ({ call }) =>
    call({ method: 'POST', path: '/api-keys', body }),
  )
  if (cli.json) printJson(cli, made)
  else {
    cli.out.line(word((made as { key: string }).key))
    cli.err.line('Keep it now: it is not shown again.')
  }
  return exits.ok
}

function readTime(text: string): string {
  const ms = Date.parse(text)
  if (Number.isNaN(ms))
    throw usageFailure(`--expires accepts a date such as 2030-01-31, not "${text}".`)
  return new Date(ms).toISOString()
}

export const revokeKey: Run = async (cli, args) => {
  const id = readId(args.positional(0), 'key')
  const revoked = await withConsoleApi(cli, ({ call }) =>
    call({ method: 'DELETE', path: `/api-keys/${id}` }),
  )
  if (cli.json) printJson(cli, revoked)
  else cli.out.line(`Revoked ${word((revoked as KeyRecord).name)}`)
  return exits.ok
}
