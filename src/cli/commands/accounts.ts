import { toRfc3339 } from '#core/clock.ts'
import { accountsHere, switchAccountHere } from '#operate/machine/server-accounts.ts'
import type { Args, Cli, Run } from '../command.ts'
import { exits } from '../terminal/failure.ts'
import { word } from '../terminal/printer.ts'
import { printJson } from '../terminal/result.ts'
import { showMinute } from '../terminal/show.ts'
import { printTable } from '../terminal/text-table.ts'
import { localServerDeps, waiting } from './at-machine.ts'

export const listAccounts: Run = async (cli) => {
  const accounts = (await accountsHere(localServerDeps(cli))).map(
    ({ createdAtMs, disabledAtMs, emails, isOperator, ...account }) => ({
      ...account,
      operator: isOperator,
      createdAt: toRfc3339(createdAtMs),
      disabledAt: disabledAtMs === null ? null : toRfc3339(disabledAtMs),
      emails,
    }),
  )
  if (cli.json) printJson(cli, { items: accounts })
  else {
    const rows = accounts.map(({ id, operator, createdAt, disabledAt, name, emails }) => [
      id,
      operator ? 'operator' : disabledAt === null ? 'on' : 'disabled',
      showMinute(createdAt),
      name,
      emails.join(', '),
    ])
    printTable(cli.out, ['ACCOUNT', 'STATE', 'CREATED', 'NAME', 'PEOPLE'], rows)
  }
  return exits.ok
}

export const disableAccount: Run = (cli, args) => switchTo(cli, args, { isDisabled: true })

export const enableAccount: Run = (cli, args) => switchTo(cli, args, { isDisabled: false })

async function switchTo(cli: Cli, args: Args, { isDisabled }: { isDisabled: boolean }) {
  const named = { account: args.positional(0), isDisabled }
  const { account, outcome } = await switchAccountHere(localServerDeps(cli), named)
  if (cli.json) {
    printJson(cli, { id: account.id, disabled: isDisabled, ready: outcome === 'done' })
  } else {
    if (outcome === 'waiting') cli.err.line(`${waiting} start it.`)
    cli.out.line(`${isDisabled ? 'Disabled' : 'Enabled'} ${word(account.name)} (${account.id})`)
  }
  return exits.ok
}
