/** Callers of the API see the first six reasons. HEADER can only occur while sending a request. */
export type RefusalReason =
  | 'SYNTAX'
  | 'SCHEME'
  | 'USERINFO'
  | 'PORT'
  | 'HOST'
  | 'ADDRESS'
  | 'HEADER'

const sentences: Record<RefusalReason, string> = {
  SYNTAX: 'The address is not a URL of at most 2048 characters.',
  SCHEME: 'Only http and https addresses are allowed.',
  USERINFO: 'The address must not contain a user name or password.',
  PORT: 'Only the ports 80, 443 and 1024 to 65535 are allowed.',
  HOST: 'The host is not a public name.',
  ADDRESS: 'The host is, or resolves to, a non-public address.',
  HEADER: 'A header is invalid or may not be set.',
}

/**
 * Our policy refused the request: nothing was sent, and a retry cannot help. The message never
 * contains a resolved address, which would let a caller probe our network.
 */
export class OutboundRefused extends Error {
  readonly reason: RefusalReason

  constructor(reason: RefusalReason) {
    super(sentences[reason])
    this.name = 'OutboundRefused'
    this.reason = reason
  }
}

export type FailureKind =
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'too_large'
  | 'protocol'
  | 'aborted'

/**
 * The network or the peer failed. `sent` is true if any byte of the request may have left, so the
 * peer may have acted on it.
 */
export class OutboundFailed extends Error {
  readonly kind: FailureKind
  readonly sent: boolean

  constructor(kind: FailureKind, options: { sent: boolean; message: string; cause?: unknown }) {
    super(options.message, { cause: options.cause })
    this.name = 'OutboundFailed'
    this.kind = kind
    this.sent = options.sent
  }
}
