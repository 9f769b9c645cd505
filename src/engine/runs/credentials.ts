// Opens the credential that a request of a workflow names, at the moment it is sent. Promises that
// the secret reaches only an address its owner allowed, and that no answer brings it back.
import type { Clock } from '#core/clock.ts'
import { headersOf, hideIn, mayBeSentTo } from '#core/credentials.ts'
import { NodeFailure } from '#nodes/execution/node-execution.ts'
import type { Db } from '#store/db.ts'
import type { SecretBox } from '#store/secret-box.ts'
import { openCredential, recordCredentialUse } from '#store/tables/credentials.ts'

/** The time of the last use is stored with this precision, which saves a write per request. */
const usedEveryMs = 60_000

type HttpAnswer = { status: number; headers: Record<string, string>; body: string }

export type UsableCredential = {
  headers: Readonly<Record<string, string>>
  /** The answer without repetitions of the secret: it is recorded and shown. */
  hide(answer: HttpAnswer): HttpAnswer
}

/** Throws a NodeFailure if there is no such credential or it may not be sent to this address. */
export type UseCredential = (request: {
  accountId: string
  name: string
  url: string
}) => Promise<UsableCredential>

export const credentialUser =
  ({ db, box, clock }: { db: Db; box: SecretBox; clock: Clock }): UseCredential =>
  async ({ accountId, name, url }) => {
    const credential = await openCredential(db, box, accountId, name)
    if (!credential) {
      const message = `There is no credential "${name}" in this account: create it, or choose another.`
      throw new NodeFailure('CREDENTIAL_NOT_FOUND', message)
    }
    const target = new URL(url)
    if (!mayBeSentTo(credential.hosts, target)) {
      const message = `Credential "${name}" may not be sent to ${target.origin}: its hosts do not include this address.`
      throw new NodeFailure('CREDENTIAL_NOT_ALLOWED', message)
    }
    const nowMs = clock.nowMs()
    if ((credential.last_used_at ?? 0) <= nowMs - usedEveryMs) {
      await recordCredentialUse(db, accountId, credential.id, nowMs)
    }
    const hidden = (text: string) => hideIn(text, credential.opened, name)
    return {
      headers: headersOf(credential.opened),
      hide: ({ status, headers, body }) => ({
        status,
        headers: Object.fromEntries(
          Object.entries(headers).map(([header, value]) => [header, hidden(value)]),
        ),
        body: hidden(body),
      }),
    }
  }
