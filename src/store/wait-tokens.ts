// Addresses by which somebody without an account answers a wait. A token is the identifier of the
// wait and a signature of it, so that it follows from the secret key and is stored nowhere: neither
// the database nor a log can be read for one. The state of the wait decides whether it still works.
import type { SecretBox } from './secret-box.ts'

/** `link`: the page for people. `callback`: the address for machines. */
export type TokenUse = 'link' | 'callback'

export type WaitTokens = {
  /** Where the wait is answered by whoever has this address. */
  urlOf(use: TokenUse, waitId: string): string
  /** The wait that a token is for; null if this server did not make it. */
  read(use: TokenUse, token: string): string | null
  /** A value that the page for people carries, so that only it can decide. */
  nonceOf(waitId: string): string
  isNonce(waitId: string, nonce: string): boolean
}

const paths: Record<TokenUse, string> = { link: '/w/', callback: '/callbacks/' }
const idBytes = 16
const signatureBytes = 32
const form = /^[A-Za-z0-9_-]{64}$/

export function createWaitTokens(
  box: Pick<SecretBox, 'sign' | 'isSigned'>,
  baseUrl: string,
): WaitTokens {
  const at = (waitId: string) => ({ table: 'waits', row: waitId })
  const tokenOf = (use: TokenUse, waitId: string) =>
    Buffer.concat([toBytes(waitId), box.sign(at(waitId), use)]).toString('base64url')
  return {
    urlOf: (use, waitId) => `${baseUrl}${paths[use]}${tokenOf(use, waitId)}`,
    read(use, token) {
      // 48 bytes fill 64 characters, so every token has one spelling.
      if (!form.test(token)) return null
      const bytes = Buffer.from(token, 'base64url')
      const waitId = toUuid(bytes.subarray(0, idBytes))
      return box.isSigned(at(waitId), use, bytes.subarray(idBytes)) ? waitId : null
    },
    nonceOf: (waitId) => box.sign(at(waitId), 'page').toString('base64url'),
    isNonce(waitId, nonce) {
      const bytes = Buffer.from(nonce, 'base64url')
      return bytes.length === signatureBytes && box.isSigned(at(waitId), 'page', bytes)
    },
  }
}

const toBytes = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex')

function toUuid(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  const cuts = [0, 8, 12, 16, 20, 32]
  return cuts
    .slice(1)
    .map((end, i) => hex.slice(cuts[i], end))
    .join('-')
}
