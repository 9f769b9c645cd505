// Who may answer what a run waits for, and what an answer that came second is told. Pure: the store
// reads the facts, and decides by this inside the transaction that locks the run.
import { hasRole, type Role } from './roles.ts'
import type { WaitDetails, WaitStatus } from './wait-facts.ts'

/**
 * Whoever answers. `person` and `key` have an identifier; a key answers for the person who made it.
 * `token` is one of another issuer, `link` the page for people without an account, and `sender` a
 * machine that sent a callback.
 */
export type AnswererKind = 'person' | 'key' | 'token' | 'link' | 'sender'
export type Answerer = { kind: AnswererKind; id: string | null }

/** As `answered_by` holds it. */
export const answererText = ({ kind, id }: Answerer): string =>
  id === null ? kind : `${kind} ${id}`

export function readAnswerer(text: string): Answerer {
  const [kind = '', id = null] = text.split(' ')
  return { kind: kind as AnswererKind, id }
}

/** The person behind a credential; null for a token of another issuer, which names none. */
export type Person = { userId: string; email: string | null; role: Role }

/** What one approval says about who may answer it. */
export type Question = {
  details: Pick<WaitDetails, 'approvers' | 'fourEyes'>
  /** The person who started the run; null if no person is known. */
  starterId: string | null
  /** Of the addresses in `approvers`, those of people who can sign in to the account. */
  present: ReadonlySet<string>
}

export type Refusal = 'not-an-approver' | 'starter'

/** Null if this person may answer. */
export function refusalOf(
  person: Person | null,
  { details: { approvers = [], fourEyes = false }, starterId, present }: Question,
): Refusal | null {
  if (!isApprover(person, approvers, present)) return 'not-an-approver'
  // Two credentials without a person cannot be told apart, so neither counts as a second pair.
  const isStarter = person === null ? starterId === null : person.userId === starterId
  return fourEyes && isStarter ? 'starter' : null
}

function isApprover(
  person: Person | null,
  approvers: readonly string[],
  present: ReadonlySet<string>,
): boolean {
  // Its scope was given to the token by name, which is what makes an editor here.
  if (approvers.length === 0) return person === null || hasRole(person.role, 'editor')
  if (person === null) return false
  const named = approvers.map((email) => email.toLowerCase())
  if (person.email !== null && named.includes(person.email.toLowerCase())) return true
  // Otherwise nobody could ever answer.
  return person.role === 'owner' && !named.some((email) => present.has(email))
}

export type Lateness = 'WAIT_ALREADY_ANSWERED' | 'WAIT_EXPIRED' | 'WAIT_CANCELLED'

/** Why a wait takes no answer any more; null if it does. Its row must be locked by now. */
export function latenessOf(
  wait: { status: WaitStatus; expires_at: number },
  { goesOn, nowMs }: { goesOn: boolean; nowMs: number },
): Lateness | null {
  switch (wait.status) {
    case 'ANSWERED':
      return 'WAIT_ALREADY_ANSWERED'
    case 'EXPIRED':
    case 'PASSED':
      return 'WAIT_EXPIRED'
    case 'CANCELLED':
      return 'WAIT_CANCELLED'
    case 'OPEN':
      if (!goesOn) return 'WAIT_CANCELLED'
      // From then on, whether or not the timer has fired.
      return nowMs >= wait.expires_at ? 'WAIT_EXPIRED' : null
    default:
      return wait.status satisfies never
  }
}
