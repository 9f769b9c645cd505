import { askHidden, isInteractive, readAll } from '../arguments/ask.ts'
import type { Args, Cli, Run } from '../command.ts'
import { type ConsoleApi, withConsoleApi } from '../console-api.ts'
import { exits, usageFailure } from '../terminal/failure.ts'
import { word } from '../terminal/printer.ts'
import { printJson } from '../terminal/result.ts'
import { showMinute } from '../terminal/show.ts'
import { printTable } from '../terminal/text-table.ts'

type Credential = {
  name: string
  kind: string
  provider: string | null
  hosts: string[]
  lastChars: string | null
  lastUsedAt: string | null
}
type CredentialList = { items: Credential[] }

const readList = async ({ call }: ConsoleApi) =>
  (await call({ method: 'GET', path: '/credentials' })) as CredentialList

export const listCredentials: Run = async (cli) => {
  const list = await withConsoleApi(cli, readList)
  if (cli.json) printJson(cli, list)
  else {
    const rows = list.items.map(({ name, kind, provider, hosts, lastChars, lastUsedAt }) => [
      name,
      kind,
      lastChars === null ? '' : `…${lastChars}`,
      sentTo({ kind, provider, hosts }),
      showMinute(lastUsedAt),
    ])
    printTable(cli.out, ['NAME', 'KIND', 'SECRET', 'SENT TO', 'LAST USED'], rows)
  }
  return exits.ok
}

const sentTo = ({ kind, provider, hosts }: Pick<Credential, 'kind' | 'provider' | 'hosts'>) =>
  kind === 'webhook' ? 'nowhere' : (provider ?? (hosts.join(' ') || 'nowhere: name its hosts'))

export const setCredential: Run = async (cli, args) => {
  const name = readName(args)
  const header = args.text('header')
  const username = args.text('username')
  const provider = args.text('provider')
  const body = {
    kind: args.text('kind') ?? (provider === undefined ? 'bearer' : 'provider'),
    secret: await readSecret(cli),
    ...(args.list('host').length > 0 ? { hosts: args.list('host') } : {}),
    ...(header === undefined ? {} : { header }),
    ...(username === undefined ? {} : { username }),
    ...(provider === undefined ? {} : { provider }),
  }
  const stored = (await withConsoleApi(cli, async (area) => {
    const { items } = await readList(area)
    return items.some((one) => one.name === name)
      ? area.call({ method: 'PUT', path: `/credentials/${name}`, body })
      : area.call({ method: 'POST', path: '/credentials', body: { name, ...body } })
  })) as Credential
  if (cli.json) printJson(cli, stored)
  else cli.out.line(`Stored ${word(stored.name)}`)
  return exits.ok
}

/** A secret is never an argument, because other users of the machine can see arguments. */
async function readSecret(cli: Cli): Promise<string> {
  const text = isInteractive(cli)
    ? await askHidden(cli, 'Secret: ')
    : await readAll(cli.stdin, 'The secret')
  const secret = text.replace(/\r?\n$/, '')
  if (secret === '') throw usageFailure('The secret is empty.')
  return secret
}

/** Checked here, because the name becomes part of a URL. */
function readName(args: Args): string {
  const name = args.positional(0)
  if (/^[a-z0-9-]{1,64}$/.test(name)) return name
  throw usageFailure('A name has up to 64 lowercase letters, digits and hyphens.')
}

export const deleteCredential: Run = async (cli, args) => {
  const name = readName(args)
  const deleted = await withConsoleApi(cli, ({ call }) =>
    call({ method: 'DELETE', path: `/credentials/${name}` }),
  )
  if (cli.json) printJson(cli, deleted)
  else cli.out.line(`Deleted ${word(name)}`)
  return exits.ok
}
