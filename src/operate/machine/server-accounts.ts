// The accounts of the server, for commands that run on its machine.
import { type AccountPosition, listAccounts, listPeople } from '#store/tables/account-list.ts'
import { readAccount } from '#store/tables/accounts.ts'
import { findUserByEmail } from '#store/tables/users.ts'
import { type CommandContext, MachineRefused, openInstallation } from './machine-access.ts'

const pageSize = 200
const maxPeople = 20

/** All accounts, newest first, each with the e-mails of its first people. */
export async function accountsHere(context: CommandContext) {
  await using installation = await openInstallation(context)
  const { reader, owner } = installation
  const found = []
  let after: AccountPosition | null = null
  do {
    const page: Awaited<ReturnType<typeof listAccounts>> = await listAccounts(
      reader,
      after,
      pageSize,
    )
    for (const { id, name, created_at, disabled_at } of page) {
      const people = await listPeople(reader, id, maxPeople)
      found.push({
        id,
        name,
        createdAtMs: created_at,
        disabledAtMs: disabled_at,
        isOperator: id === owner.accountId,
        emails: people.flatMap(({ email }) => email ?? []),
      })
    }
    const last = page.length === pageSize ? page.at(-1) : undefined
    after = last ? { createdAtMs: last.created_at, id: last.id } : null
  } while (after !== null)
  return found
}

type Switch = { account: string; isDisabled: boolean }

/** `account` is the identifier of an account, or the e-mail of somebody who belongs to it. */
export async function switchAccountHere(
  context: CommandContext,
  { account: named, isDisabled }: Switch,
) {
  await using installation = await openInstallation(context)
  const { reader, owner } = installation
  const person = named.includes('@') ? await findUserByEmail(reader, named.toLowerCase()) : null
  const accountId = person?.accountId ?? (uuidForm.test(named) ? named.toLowerCase() : null)
  const account = accountId === null ? null : await readAccount(reader, accountId)
  if (!account) {
    throw new MachineRefused(
      `There is no account ${named}. "atelier accounts list" shows them all.`,
    )
  }
  if (account.id === owner.accountId) {
    throw new MachineRefused('This account operates the server and cannot be disabled.')
  }
  const outcome = await installation.ask({ kind: 'account', accountId: account.id, isDisabled })
  return { account, outcome }
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
