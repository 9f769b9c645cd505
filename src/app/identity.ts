import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type ConsoleServices, consolePrefix } from '#api/console/context.ts'
import { requireScope } from '#auth/bearer.ts'
import { createExternalTokens } from '#auth/external-tokens.ts'
import { fetchJson } from '#auth/fetch-json.ts'
import { openKeyRing } from '#auth/key-ring.ts'
import { createOwnTokens } from '#auth/own-tokens.ts'
import { createPasswords } from '#auth/passwords.ts'
import { createAccountLimit, createAccountLimits, createAddressLimit } from '#auth/rate-limit.ts'
import { createSessions } from '#auth/sessions.ts'
import { createSignInLimits } from '#auth/sign-in-limits.ts'
import { createVerifier } from '#auth/verify.ts'
import type { Config } from '#config'
import type { Clock } from '#core/clock.ts'
import { toMicros } from '#core/money.ts'
import { repeat } from '#core/repeat.ts'
import type { Gate } from '#http/api-surface.ts'
import type { Logger } from '#operate/log.ts'
import type { Db } from '#store/db.ts'
import type { SecretBox } from '#store/secret-box.ts'

const flushMs = 60_000
const rotationMs = 5 * 60_000
// Enough to test a receiver by hand, too few to abuse the server for flooding others.
const webhookTestsPerMinute = 10
// Each one makes an account and costs a slow hash.
const signUpsPerMinute = 10
const random = (size: number): Uint8Array => randomBytes(size)

/** Everything that identifies and limits callers: bearer credentials, sessions, rate limits. */
export async function openIdentity(deps: {
  config: Config
  db: Db
  clock: Clock
  box: SecretBox
  chats: ConsoleServices['chats']
  baseUrl: string
}) {
  const { config, db, clock, box, chats, baseUrl } = deps
  const keyRing = await openKeyRing({ db, box, clock })
  const ownTokens = createOwnTokens({ db, clock, keyRing, baseUrl })
  const issuers = await openIssuers(config, baseUrl)
  const verifier = createVerifier({
    db,
    clock,
    ownTokens,
    externalTokens: createExternalTokens({ db, clock, issuers, fetchJson }),
    spendLimitMicros: config.SPEND_LIMIT === 0 ? null : toMicros(config.SPEND_LIMIT),
  })
  const addressLimit = createAddressLimit({ clock, quota: config.RATE_LIMIT_IP })
  const accountLimits = createAccountLimits({
    clock,
    quotas: {
      default: config.RATE_LIMIT,
      chat: config.RATE_LIMIT_CHAT,
      generation: config.RATE_LIMIT_GENERATION,
      run: config.RATE_LIMIT_RUN,
    },
  })
  const gate: Gate = {
    verify: verifier.verify,
    requireScope,
    countAddress: addressLimit.count,
    uncountAddress: addressLimit.uncount,
    countAccount: accountLimits.count,
    countMore: accountLimits.countMore,
  }
  const developer: Omit<
    ConsoleServices,
    'api' | 'server' | 'lanes' | 'sendWebhook' | 'saveUpload' | 'discovery'
  > = {
    db,
    clock,
    chats,
    random,
    secretBox: box,
    passwords: createPasswords(),
    sessions: createSessions({ db, clock, random, baseUrl }),
    signInLimits: createSignInLimits({
      clock,
      perEmail: config.SIGN_IN_FAILURES_PER_EMAIL,
      perAddress: config.SIGN_IN_FAILURES_PER_ADDRESS,
      maxWaitMs: config.SIGN_IN_MAX_WAIT_SECONDS * 1000,
    }),
    signUps: createAddressLimit({ clock, quota: signUpsPerMinute }),
    webhookTests: createAccountLimit({
      clock,
      name: 'webhook-tests',
      quota: webhookTestsPerMinute,
    }),
    mintToken: ownTokens.mint,
    verifier,
    oidc: await openOidc(config, clock, baseUrl),
    signUp: config.SIGN_UP,
    baseUrl,
  }
  /** Runs in every process that serves, because each one records its own key uses. */
  const upkeep = (log: Logger) => [
    repeat(flushMs, verifier.flush, (err) => log.warn({ err }, 'lastUsedAt was not written')),
    repeat(rotationMs, keyRing.rotateIfDue, (err) => log.error({ err }, 'key rotation failed')),
  ]
  const issuerNames = issuers.map(({ issuer }) => issuer)
  return { keyRing, gate, issuers: issuerNames, developer, ownTokens, verifier, random, upkeep }
}

// Both modules are loaded only if configured, because they load half of the schema library.
async function openIssuers({ ISSUERS_FILE }: Config, baseUrl: string) {
  if (ISSUERS_FILE === '') return []
  const { parseIssuers } = await import('#auth/issuers-file.ts')
  return parseIssuers(readFileSync(ISSUERS_FILE, 'utf8'), { ownIssuer: baseUrl })
}

async function openOidc(config: Config, clock: Clock, baseUrl: string) {
  if (!config.OIDC_ISSUER) return null
  const { createOidcClient } = await import('#auth/oidc.ts')
  const settings = {
    issuer: config.OIDC_ISSUER,
    clientId: config.OIDC_CLIENT_ID,
    clientSecret: config.OIDC_CLIENT_SECRET,
    redirectUri: `${baseUrl}${consolePrefix}/oidc/callback`,
    scopes: config.OIDC_SCOPES.split(/\s+/),
    emailVerified: config.OIDC_EMAIL_VERIFIED,
  }
  return createOidcClient(settings, { fetchJson, clock, random })
}
