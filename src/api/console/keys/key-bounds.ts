// The upper bounds of a key: what the role of its maker allows and, if another key makes it, what
// that key itself may do.
import { Failure, invalid } from '#core/errors.ts'
import type { KeyLimits } from '#core/principal.ts'
import { keyScopesOf } from '#core/roles.ts'
import { isDefaultScope, type KeyScope } from '#core/scopes.ts'
import { readApiKey } from '#store/tables/api-keys.ts'
import { type ConsoleContext, requireCaller } from '../context.ts'

type Settings = {
  scopes: readonly KeyScope[]
  limits: KeyLimits
  expiresAtMs: number | null
}

async function boundsOf(context: ConsoleContext): Promise<Settings> {
  const { accountId, role, keyId } = requireCaller(context)
  const scopes = keyScopesOf(role)
  if (keyId === null) return { scopes, limits: {}, expiresAtMs: null }
  // Read again, because the key that the caller was admitted with may be some seconds old.
  const own = await readApiKey(context.services.db, accountId, keyId)
  if (!own || own.revokedAtMs !== null) throw new Failure('INVALID_CREDENTIAL')
  const { limits, expiresAtMs } = own
  return { scopes: scopes.filter((scope) => own.scopes.includes(scope)), limits, expiresAtMs }
}

/** The settings of a key, with defaults for omitted ones. Throws if they exceed the bounds. */
export async function withinBounds(
  context: ConsoleContext,
  wanted: Partial<Settings>,
): Promise<Settings> {
  const bounds = await boundsOf(context)
  const settings = {
    // By default, a key can neither call the console API nor answer what runs wait for.
    scopes: wanted.scopes ?? bounds.scopes.filter(isDefaultScope),
    limits: wanted.limits ?? bounds.limits,
    expiresAtMs: wanted.expiresAtMs === undefined ? bounds.expiresAtMs : wanted.expiresAtMs,
  }
  checkScopes(context, settings.scopes, bounds.scopes)
  for (const [name, most] of Object.entries(bounds.limits) as [keyof KeyLimits, number][]) {
    const given = settings.limits[name]
    if (given === undefined || given > most) {
      throw tooFar(`/limits/${name === 'spendPerMonthMicros' ? 'spendPerMonth' : name}`)
    }
  }
  const { expiresAtMs: lastMs } = bounds
  const { expiresAtMs } = settings
  if (lastMs !== null && (expiresAtMs === null || expiresAtMs > lastMs)) throw tooFar('/expiresAt')
  return settings
}

function checkScopes(
  { key }: ConsoleContext,
  wanted: readonly KeyScope[],
  allowed: readonly KeyScope[],
) {
  const missing = wanted.find((scope) => !allowed.includes(scope))
  if (missing === undefined) return
  const details = { scope: missing }
  if (key) {
    const message = `The key that you call with does not have the scope ${missing} itself.`
    throw new Failure('INSUFFICIENT_SCOPE', { message, details })
  }
  const message = `Your role in this account does not include the scope ${missing}.`
  throw new Failure('INSUFFICIENT_ROLE', { message, details })
}

const tooFar = (path: string) =>
  invalid(
    'INVALID_REQUEST',
    [{ path, rule: 'bounds', message: 'must not exceed that of the key you call with' }],
    `${path} must not exceed that of the key you call with.`,
  )
