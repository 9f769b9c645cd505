import type { OidcClient } from '#auth/oidc.ts'
import type { MintRequest } from '#auth/own-tokens.ts'
import type { Passwords } from '#auth/passwords.ts'
import type { Random } from '#auth/random.ts'
import type { AccountLimit } from '#auth/rate-limit.ts'
import { challenge, type Session, type Sessions, sessionEnded } from '#auth/sessions.ts'
import type { SignInLimits } from '#auth/sign-in-limits.ts'
import type { Verifier } from '#auth/verify.ts'
import type { AuditAction } from '#core/audit-actions.ts'
import type { Clock } from '#core/clock.ts'
import type { ErrorCode } from '#core/error-table.ts'
import { Failure } from '#core/errors.ts'
import type { KeyLane } from '#core/lane.ts'
import type { Principal } from '#core/principal.ts'
import { hasRole, type Role, scopesOf } from '#core/roles.ts'
import type { Static, TObject, TSchema } from '#core/schema.ts'
import { developerScope, type KeyScope } from '#core/scopes.ts'
import type { Db, Tx } from '#store/db.ts'
import type { ChatLog } from '#store/journals/chat-log.ts'
import type { SecretBox } from '#store/secret-box.ts'
import { holdSession } from '#store/tables/sessions.ts'
import {
  type CallContext,
  type Declared,
  defineFor,
  type Handling,
  type Operation,
  type OperationInput,
} from '../operation.ts'
import type { Context, Services } from '../public/context.ts'
import type { Media } from '../schemas.ts'
import type { ServerFacts } from './server-facts.ts'

/** The path prefix of the console API. */
export const consolePrefix = '/api/console/v1'

export type SignUpPolicy = 'open' | 'first-user' | 'closed'

/** The dependencies of developer operations, built once in app/. */
export type ConsoleServices = {
  db: Db
  clock: Clock
  chats: Pick<ChatLog, 'flush'>
  random: Random
  secretBox: SecretBox
  passwords: Passwords
  sessions: Sessions
  signInLimits: SignInLimits
  /** Counts one sign-up from an address and returns a Failure if there were too many. */
  signUps: { count(address: string): Failure | null }
  mintToken(request: MintRequest): Promise<{ token: string; expiresAtMs: number }>
  verifier: Pick<Verifier, 'forgetKey' | 'forgetAccount'>
  /** Null if no OpenID provider is configured. */
  oidc: OidcClient | null
  signUp: SignUpPolicy
  baseUrl: string
  server(): ServerFacts
  /** The keys of the server that have limits or are paused, as this process sees them. */
  lanes(): readonly KeyLane[]
  /** Makes one signed attempt through the guarded gateway, like a real delivery. */
  sendWebhook(message: {
    accountId: string
    id: string
    url: string
    body: string
  }): Promise<SentWebhook>
  webhookTests: AccountLimit
  /** The models of the endpoints in MODELS_FILE, and their entries there. */
  discovery: {
    find(signal: AbortSignal): Promise<readonly FoundModels[]>
    /** Returns how many were added; null if there is no such endpoint. */
    take(
      models: { endpoint: string; ids: readonly string[]; isFree: boolean },
      signal: AbortSignal,
    ): Promise<number | null>
  }
  /** Throws PAYLOAD_TOO_LARGE, or UNSUPPORTED_MEDIA_TYPE if the bytes do not match their type. */
  saveUpload(
    accountId: string,
    source: AsyncIterable<Uint8Array>,
    options: { kind: 'image' | 'video'; announcedBytes: number; signal: AbortSignal },
  ): Promise<Media>
  /** The dependencies of the public API. */
  api: Services
}

type FoundModel = {
  id: string
  kind?: string
  capabilities?: { maxInputTokens?: number; inputModalities?: readonly string[] }
}
export type FoundModels = {
  name: string
  baseUrl: string
  problem: string | null
  added: readonly FoundModel[]
  known: number
  gone: readonly { id: string }[]
}

export type SentWebhook = {
  outcome: { statusCode: number | null; error: string | null; body: string | null }
  startedAtMs: number
  endedAtMs: number
}

export type ConsoleContext = {
  services: ConsoleServices
  session: Session | null
  /** The API key of the caller, if it is not a person; only operations that take keys get one. */
  key: Principal | null
  ipAddress: string
  /** Takes back the count of a request without a session against its address. */
  uncount?: () => void
  /** Says in the audit log what is changed. Call it inside the transaction. */
  describe?: (target: string) => void
  /** The same caller as of now, for a body that is streamed: its sender may have lost the right. */
  readmitted?(): Promise<ConsoleContext>
  /** The result of `isSameOrigin` for this request. */
  isSameOrigin: boolean
}

/**
 * Who may call an operation: anybody, or a signed-in person with at least this role. `operator` is
 * an owner of the account that the server was set up with.
 */
export type Access = 'public' | Role | 'operator'

export type ConsoleOperation = Operation<ConsoleContext> & {
  access: Access
  /** API keys with the scope `developer` may call it too, within the role of their maker. */
  takesKeys: boolean
  /** A scope that is enough for it, if `developer` would be more than it takes. */
  keyScope: KeyScope
  /** Its entry in the audit log. Every operation that changes something has one. */
  audit?: Recorded | Unrecorded
}

/** The guard records it in the transaction of the change. */
type Recorded = { action: AuditAction; target(input: OperationInput): string }
/** The operation records its entries itself, or has none, for this reason. */
type Unrecorded = { byItself: readonly AuditAction[] } | { none: string }

type Audit<P extends TObject, B extends TSchema> =
  | Unrecorded
  | {
      action: AuditAction
      /**
       * What is changed, and how: names, never a secret. A handler that learns more while it makes
       * the change calls `describe`.
       */
      target(input: { params: Static<P>; body: Static<B> }): string
    }

const define = defineFor<ConsoleContext>()

/**
 * Every operation states its `access`; `guard.ts` enforces it, and the errors that follow from it
 * are added here.
 */
export function defineConsole<
  P extends TObject = TObject,
  Q extends TObject = TObject,
  B extends TSchema = TSchema,
>({
  access,
  takesKeys = false,
  keyScope = developerScope,
  audit,
  ...spec
}: Declared &
  Handling<ConsoleContext, P, Q, B> & {
    access: Access
    takesKeys?: boolean
    keyScope?: KeyScope
    audit?: Audit<P, B>
  }): ConsoleOperation {
  const refusals: ErrorCode[] = []
  if (access !== 'public') refusals.push('AUTH_REQUIRED')
  if (access !== 'public' && access !== 'viewer') refusals.push('INSUFFICIENT_ROLE')
  if (!spec.route.startsWith('GET ')) refusals.push('ORIGIN_NOT_ALLOWED')
  if (takesKeys) refusals.push('INVALID_CREDENTIAL', 'CREDENTIAL_EXPIRED', 'INSUFFICIENT_SCOPE')
  return {
    ...define({ ...spec, scope: 'public', errors: [...refusals, ...(spec.errors ?? [])] }),
    access,
    takesKeys,
    keyScope,
    // The surface has checked the input against the schemas that the target is typed by.
    ...(audit ? { audit: audit as Recorded | Unrecorded } : {}),
  }
}

/** The session of a signed-in person whose account is enabled. */
export function requireSession({ session }: ConsoleContext): Session {
  if (!session) throw sessionEnded()
  if (session.accountDisabled) throw new Failure('ACCOUNT_DISABLED')
  return session
}

/** Refuses whoever was signed out meanwhile, and lets nobody do it before the transaction ends. */
export async function requireStillSignedIn(tx: Tx, { session }: ConsoleContext): Promise<void> {
  if (session && !(await holdSession(tx, session))) throw sessionEnded()
}

/** Who calls: a signed-in person, or an API key within the role of the person who made it. */
export type Caller = {
  accountId: string
  /** For a key: the person who made it. */
  userId: string | null
  role: Role
  keyId: string | null
}

export function requireCaller(context: ConsoleContext): Caller {
  const { key } = context
  if (!key) {
    const { accountId, userId, role } = requireSession(context)
    return { accountId, userId, role, keyId: null }
  }
  // A key that no person made has no role, so it gets the lowest.
  const { accountId, userId, keyId, role = 'viewer' } = key
  return { accountId, userId, role, keyId }
}

/** A caller with at least this role. */
export function requireRole(context: ConsoleContext, needed: Role): Caller {
  const caller = requireCaller(context)
  if (hasRole(caller.role, needed)) return caller
  throw new Failure('INSUFFICIENT_ROLE', { details: { role: needed } })
}

/** An unknown e-mail and a wrong password must have the same message. */
export const signInRefused = (message: string) =>
  new Failure('INVALID_CREDENTIAL', { message, headers: challenge })

/** The context that the public API would have if this caller used it. */
export function asApiCaller(context: ConsoleContext & CallContext): Context & CallContext {
  const { requestId, signal, headerValues } = context
  return {
    services: context.services.api,
    principal: context.key ?? principalOf(requireSession(context)),
    requestId,
    signal,
    headerValues,
  }
}

const principalOf = ({ accountId, userId, role }: Session): Principal => ({
  accountId,
  userId,
  keyId: null,
  scopes: new Set(scopesOf(role)),
  limits: {},
  accountSpendPerMonthMicros: null,
})
