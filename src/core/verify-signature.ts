// Decides whether a request from outside was signed by whoever holds a secret. Pure: the caller
// hands in the raw bytes, before anything has parsed them, and the time. It never says which part
// of a signature was wrong beyond what the sender may know, and compares in constant time.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { VerifyConfig } from './verify-config.ts'

export type SignedRequest = {
  body: Uint8Array
  /** By lower-case name, as Node has them. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The secrets of the credentials that the setting names; any of them may have signed. */
  secrets: readonly string[]
  nowMs: number
}

export type Verdict = { ok: true } | { ok: false; reason: string }

const defaultToleranceSeconds = 300
const accepted: Verdict = { ok: true }
const refused = (reason: string): Verdict => ({ ok: false, reason })

export function verifySignature(config: VerifyConfig, request: SignedRequest): Verdict {
  const { method } = config
  if (method === 'none') return accepted
  const secrets = request.secrets.filter((secret) => secret !== '')
  if (secrets.length === 0) return refused('No secret is stored for this address.')
  const signed = readSigned(config, request)
  if ('reason' in signed) return refused(signed.reason)
  if (signed.seconds !== undefined && !isTimely(config, signed.seconds, request.nowMs)) {
    return refused('The signed time is too far from the time of this server.')
  }
  // Every pair is compared, so that the time taken says nothing about which one fitted.
  let fits = 0
  for (const secret of secrets) {
    const expected = signed.digest(secret)
    for (const given of signed.signatures) fits += isEqual(given, expected) ? 1 : 0
  }
  return fits > 0 ? accepted : refused('The signature does not fit the body.')
}

type Signed = {
  /** What the request carries; senders that replace a secret send several. */
  signatures: Uint8Array[]
  /** The time that the signature covers, if the method signs one. */
  seconds?: string
  digest: (secret: string) => Uint8Array
}
type Unsigned = { reason: string }

function readSigned(config: VerifyConfig, request: SignedRequest): Signed | Unsigned {
  switch (config.method) {
    case 'standard-webhooks':
      return readStandardWebhook(request)
    case 'stripe':
      return readStripe(request)
    case 'slack':
      return readSlack(request)
    case 'github':
      return readHmac({ header: 'x-hub-signature-256', prefix: 'sha256=' }, request)
    case 'hmac':
      return readHmac(config, request)
    case 'bearer':
      return readBearer(request)
    case 'none':
      return { reason: 'Nothing is signed.' }
    default:
      return config.method satisfies never
  }
}

/** https://github.com/standard-webhooks/standard-webhooks, 1.0.0 */
function readStandardWebhook({ body, headers }: SignedRequest): Signed | Unsigned {
  const id = one(headers, 'webhook-id')
  const seconds = one(headers, 'webhook-timestamp')
  const given = one(headers, 'webhook-signature')
  if (id === null || seconds === null || given === null) return missing('webhook-signature')
  const signatures = given
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .map((part) => Buffer.from(part.slice('v1,'.length), 'base64'))
  const key = (secret: string) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return {
    signatures,
    seconds,
    digest: (secret) => hmac('sha256', key(secret), [`${id}.${seconds}.`, body]),
  }
}

/** https://docs.stripe.com/webhooks#verify-manually */
function readStripe({ body, headers }: SignedRequest): Signed | Unsigned {
  const given = one(headers, 'stripe-signature')
  if (given === null) return missing('stripe-signature')
  const parts = given.split(',').map((part) => part.trim().split('=', 2))
  const seconds = parts.find(([name]) => name === 't')?.[1]
  if (seconds === undefined) return missing('stripe-signature')
  const signatures = parts.filter(([name]) => name === 'v1').map(([, value = '']) => hex(value))
  return {
    signatures,
    seconds,
    digest: (secret) => hmac('sha256', secret, [`${seconds}.`, body]),
  }
}

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
function readSlack({ body, headers }: SignedRequest): Signed | Unsigned {
  const seconds = one(headers, 'x-slack-request-timestamp')
  const given = one(headers, 'x-slack-signature')
  if (seconds === null || given === null) return missing('x-slack-signature')
  return {
    signatures: given.startsWith('v0=') ? [hex(given.slice('v0='.length))] : [],
    seconds,
    digest: (secret) => hmac('sha256', secret, [`v0:${seconds}:`, body]),
  }
}

type HmacFields = Pick<
  VerifyConfig,
  'header' | 'algorithm' | 'encoding' | 'prefix' | 'timestampHeader'
>

/** A plain HMAC of the body, or of the time, a dot and the body. GitHub's is one of these. */
function readHmac(config: HmacFields, { body, headers }: SignedRequest): Signed | Unsigned {
  const { header = '', algorithm = 'sha256', encoding = 'hex', prefix = '' } = config
  const given = one(headers, header.toLowerCase())
  if (given === null) return missing(header.toLowerCase())
  const text = given.slice(prefix.length)
  const signature = encoding === 'hex' ? hex(text) : Buffer.from(text, 'base64')
  const signatures = given.startsWith(prefix) ? [signature] : []
  if (config.timestampHeader === undefined) {
    return { signatures, digest: (secret) => hmac(algorithm, secret, [body]) }
  }
  const seconds = one(headers, config.timestampHeader.toLowerCase())
  if (seconds === null) return missing(config.timestampHeader.toLowerCase())
  return {
    signatures,
    seconds,
    digest: (secret) => hmac(algorithm, secret, [`${seconds}.`, body]),
  }
}

/** The secret itself in a header. Hashed on both sides, so that its length stays unknown too. */
function readBearer({ headers }: SignedRequest): Signed | Unsigned {
  const given = one(headers, 'authorization')
  if (given === null) return missing('authorization')
  const token = /^bearer +(.+)$/i.exec(given)?.[1]
  return {
    signatures: token === undefined ? [] : [sha256(token)],
    digest: sha256,
  }
}

const missing = (header: string): Unsigned => ({ reason: `The header ${header} is missing.` })

/** A header that was sent once; two of them could be read differently by two programs. */
function one(headers: SignedRequest['headers'], name: string): string | null {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : null
}

const hmac = (
  algorithm: string,
  secret: string | Uint8Array,
  parts: readonly (string | Uint8Array)[],
): Uint8Array => {
  // A secret that decodes to nothing would be one that anybody knows; nothing equals no digest.
  if (secret.length === 0) return Buffer.alloc(0)
  const made = createHmac(algorithm, secret)
  for (const part of parts) made.update(part)
  return made.digest()
}

const sha256 = (text: string): Uint8Array => createHash('sha256').update(text).digest()

/** Empty, and so equal to no digest, if it is not hexadecimal through and through. */
const hex = (text: string): Uint8Array =>
  /^([0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.alloc(0)

const isEqual = (given: Uint8Array, expected: Uint8Array): boolean =>
  given.length > 0 && given.length === expected.length && timingSafeEqual(given, expected)

function isTimely(
  { toleranceSeconds = defaultToleranceSeconds }: VerifyConfig,
  seconds: string,
  nowMs: number,
): boolean {
  if (!/^\d{1,12}$/.test(seconds)) return false
  return Math.abs(nowMs / 1000 - Number(seconds)) <= toleranceSeconds
}
