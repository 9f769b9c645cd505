// Opens the credential that a workflow's request names, when the request is sent. Promises that
// the secret reaches only addresses that its owner allowed, and that no answer reveals it.
import { headersOf, hostsMissing, mayBeSentTo, requestProblem } from '#core/credential.ts'
import { hideIn } from '#core/hidden-secrets.ts'
import { NodeFailure } from '#graph/node/node-failure.ts'
import { type CredentialDeps, noteUse, openExisting } from '../calls/open-credential.ts'

type HttpAnswer = { status: number; headers: Record<string, string>; body: string }

export type UsableCredential = {
  headers: Readonly<Record<string, string>>
  /** Removes the secret from the answer, which is recorded and shown. */
  hide(answer: HttpAnswer): HttpAnswer
}

/** Throws a NodeFailure if there is no such credential or it may not be sent to this address. */
export type UseCredential = (request: {
  accountId: string
  name: string
  url: string
}) => Promise<UsableCredential>

export const credentialUser =
  (deps: CredentialDeps): UseCredential =>
  async ({ accountId, name, url }) => {
    const credential = await openExisting(deps, accountId, { name })
    const { opened, hosts } = credential
    if (opened.kind === 'provider' || opened.kind === 'webhook') {
      throw new NodeFailure('CREDENTIAL_NOT_ALLOWED', requestProblem(name, opened) ?? '')
    }
    if (hosts.length === 0) throw new NodeFailure('CREDENTIAL_NOT_ALLOWED', hostsMissing(name))
    const target = new URL(url)
    if (!mayBeSentTo(hosts, target)) {
      const message = `Credential "${name}" may not be sent to ${target.origin}: its hosts do not include this address.`
      throw new NodeFailure('CREDENTIAL_NOT_ALLOWED', message)
    }
    await noteUse(deps, accountId, credential)
    const hidden = (text: string) => hideIn(text, opened, name)
    return {
      headers: headersOf(opened),
      hide: ({ status, headers, body }) => ({
        status,
        headers: Object.fromEntries(
          Object.entries(headers).map(([header, value]) => [header, hidden(value)]),
        ),
        body: hidden(body),
      }),
    }
  }
