import type { Param } from '../db.ts'

// Rows look alike on both databases: every integer is a number, a boolean is 0 or 1, bytes are
// a plain Uint8Array. Serializers never throw: the library loses track of its pipeline if one
// does.
export const postgresTypes = {
  integer: { to: 20, from: [20, 1700], parse: toNumber, serialize: String },
  boolean: {
    to: 16,
    from: [16],
    parse: (text: string) => (text === 't' ? 1 : 0),
    serialize: String,
  },
  bytea: {
    to: 17,
    from: [17],
    parse: (text: string) => new Uint8Array(Buffer.from(text.slice(2), 'hex')),
    serialize: (value: Param) =>
      value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : String(value),
  },
  time: { to: 1184, from: [1082, 1114, 1184], parse: String, serialize: String },
  json: { to: 114, from: [114, 3802], parse: String, serialize: String },
}

function toNumber(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) throw beyond(text)
  return number
}

/**
 * The parameters as the library may get them; for the same reason they are checked before it does.
 *
 * PostgreSQL cannot store NUL. It becomes U+FFFD, as half of a surrogate pair does anyway: one text
 * with it would otherwise fail the statement that it shares with the runs of other accounts.
 */
export function storableParams(params: readonly Param[]): readonly Param[] {
  if (params.length > 65_000) throw new RangeError(`${params.length} parameters are too many`)
  let hasNul = false
  for (const param of params) {
    if (typeof param === 'string') hasNul ||= param.includes('\0')
    if (typeof param === 'string' || param === null || param instanceof Uint8Array) continue
    if (typeof param !== 'number') throw new TypeError(`a parameter cannot be ${typeof param}`)
    if (Number.isInteger(param) && !Number.isSafeInteger(param)) throw beyond(String(param))
  }
  return hasNul ? params.map(withoutNul) : params
}

const withoutNul = (param: Param): Param =>
  typeof param === 'string' ? param.replaceAll('\0', '\ufffd') : param

const beyond = (text: string) => new RangeError(`integer beyond 2^53: ${text}`)
