import { toRfc3339 } from '#core/clock.ts'
import { toAmount, toMicros } from '#core/money.ts'
import type { KeyLimits } from '#core/principal.ts'
import { type Static, Type } from '#core/schema.ts'
import type { ApiKey } from '#store/tables/api-keys.ts'
import { Amount, NamedRecord, Nullable, Timestamp, Uuid } from '../../schemas.ts'
import { KeyScopes, Name } from '../fields.ts'

const PerMinute = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 }))

export const Limits = NamedRecord('KeyLimits', {
  requestsPerMinute: PerMinute,
  chatPerMinute: PerMinute,
  generationPerMinute: PerMinute,
  runPerMinute: PerMinute,
  spendPerMonth: Type.Optional(
    Type.Number({ ...Amount, maximum: 1_000_000_000, description: 'Per calendar month (UTC).' }),
  ),
})

const fields = {
  id: Uuid('Identifier of the key.'),
  userId: Nullable(Uuid('Who created it.')),
  name: Name,
  display: Type.String({ description: 'First 9 and last 4 characters.' }),
  scopes: KeyScopes,
  limits: Limits,
  createdAt: Timestamp,
  expiresAt: Nullable(Timestamp),
  lastUsedAt: Nullable(Timestamp),
  revokedAt: Nullable(Timestamp),
}
export const ApiKeyRecord = NamedRecord('ApiKey', fields)
export const NewApiKeyRecord = NamedRecord('NewApiKey', {
  ...fields,
  key: Type.String({ description: 'The key itself, shown only once.' }),
})

const timeOrNull = (ms: number | null) => (ms === null ? null : toRfc3339(ms))

export const toRecord = (key: ApiKey): Static<typeof ApiKeyRecord> => ({
  id: key.id,
  userId: key.userId,
  name: key.name,
  display: key.display,
  scopes: key.scopes,
  limits: toShownLimits(key.limits),
  createdAt: toRfc3339(key.createdAtMs),
  expiresAt: timeOrNull(key.expiresAtMs),
  lastUsedAt: timeOrNull(key.lastUsedAtMs),
  revokedAt: timeOrNull(key.revokedAtMs),
})

function toShownLimits({ spendPerMonthMicros, ...rates }: KeyLimits): Static<typeof Limits> {
  return spendPerMonthMicros === undefined
    ? rates
    : { ...rates, spendPerMonth: toAmount(spendPerMonthMicros) }
}

export function toStoredLimits({ spendPerMonth, ...rates }: Static<typeof Limits>): KeyLimits {
  return spendPerMonth === undefined
    ? rates
    : { ...rates, spendPerMonthMicros: toMicros(spendPerMonth) }
}

/** In the audit log. Several keys may have one name. */
export const nameAndId = ({ name, id }: ApiKey): string => `${name} (${id})`

/** What of a key is not as it was, for the audit log. */
export function changeText(before: ApiKey, after: ApiKey): string {
  const [was, is] = [toRecord(before), toRecord(after)]
  const changes = [
    ...changeOf('name', was.name, is.name),
    ...is.scopes.filter((scope) => !was.scopes.includes(scope)).map((scope) => `+${scope}`),
    ...was.scopes.filter((scope) => !is.scopes.includes(scope)).map((scope) => `-${scope}`),
    ...limitNames.flatMap((name) => changeOf(name, was.limits[name], is.limits[name])),
    ...changeOf('expires', was.expiresAt ?? 'never', is.expiresAt ?? 'never'),
  ]
  const named = nameAndId(before)
  return changes.length === 0 ? named : `${named}: ${changes.join(', ')}`
}

const limitNames = Object.keys(Limits.properties) as (keyof typeof Limits.properties)[]

const changeOf = (name: string, before: unknown, after: unknown): string[] =>
  before === after ? [] : [`${name} ${before ?? 'none'} -> ${after ?? 'none'}`]
