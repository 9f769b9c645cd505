// What the operations on waits share: who asks, whether they may decide, and what they are shown.
import type { Principal } from '#core/principal.ts'
import {
  type Answerer,
  type Lateness,
  latenessOf,
  type Person,
  type Refusal,
  refusalOf,
} from '#core/wait-answers.ts'
import type { WaitAnswer } from '#core/wait-facts.ts'
import { readPerson } from '#store/tables/users.ts'
import { type KnownWait, namesOf, presentMembers } from '#store/tables/wait-answers.ts'
import type { Context, Services } from '../context.ts'
import { answererIds, toAnswer } from './wait-record.ts'

/** The person behind a credential. For a key: whoever made it. */
export const personOf = async ({ services, principal }: Context): Promise<Person | null> =>
  principal.userId === null ? null : readPerson(services.db, principal.accountId, principal.userId)

export const answererOf = ({ userId, keyId }: Principal): Answerer => {
  if (keyId !== null) return { kind: 'key', id: keyId }
  return userId === null ? { kind: 'token', id: null } : { kind: 'person', id: userId }
}

/** For each of these waits, why this person may not answer it; null if they may. */
export async function refusalsOf(
  { services, principal }: Context,
  person: Person | null,
  waits: readonly KnownWait[],
): Promise<(Refusal | null)[]> {
  const named = waits.flatMap(({ details }) => details.approvers ?? [])
  const emails = named.map((email) => email.toLowerCase())
  const present = await presentMembers(services.db, principal.accountId, emails)
  // A credential may outlive its person for some seconds.
  const isGone = principal.userId !== null && person === null
  return waits.map(({ details, spender }) =>
    isGone
      ? 'not-an-approver'
      : refusalOf(person, { details, present, starterId: spender.userId ?? null }),
  )
}

/** Why a wait took no answer when it was read; null if it did. What came since is found out later. */
export const latenessRead = (wait: KnownWait): Lateness | null =>
  latenessOf(wait, { goesOn: wait.run_goes_on === 1, nowMs: Number(wait.read_at) })

/** The address by which somebody without an account answers. */
export function urlOf(
  services: Services,
  { id, kind, details, status }: Pick<KnownWait, 'id' | 'kind' | 'details' | 'status'>,
): string | null {
  if (status !== 'OPEN') return null
  const { tokens } = services.waits
  if (kind === 'CALLBACK') return tokens.urlOf('callback', id)
  return details.link === true ? tokens.urlOf('link', id) : null
}

export async function readAnswer(services: Services, row: KnownWait) {
  if (row.answer === null) return null
  const { account_id: accountId } = row
  const { payloads, refreshMedia } = services.runs
  const read = await refreshMedia(accountId, await payloads.read(accountId, row.answer))
  const { sent: _, ...held } = read as WaitAnswer
  const names = await namesOf(services.db, accountId, answererIds(row))
  return toAnswer(row, held, names)
}
