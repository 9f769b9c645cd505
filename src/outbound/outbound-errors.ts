/** The first six are the reasons a caller of the API can read; HEADER concerns requests only. */
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
  USERINFO: 'The address must not carry a user name or password.',
  PORT: 'Only the ports 80, 443 and 1024 to 65535 are allowed.',
  HOST: 'The host is not a public name.',
  ADDRESS: 'The host is not, or not only, at public addresses.',
  HEADER: 'A header may not be set, or is not a valid header.',
}

/** Policy said no: nothing was sent, and repeating cannot help. Never names a resolved address. */
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

/** The world said no. `sent`: a byte of the request may have left, so it may have been acted on. */
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
