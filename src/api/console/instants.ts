import { type Issue, invalid } from '#core/errors.ts'
import { Type } from '#core/schema.ts'
import { Timestamp } from '../schemas.ts'

/** Query parameters that limit a list to a span of time. */
export const spanQuery = {
  from: Type.Optional({ ...Timestamp, description: 'From this time on (RFC 3339).' }),
  to: Type.Optional({ ...Timestamp, description: 'Before this time (RFC 3339).' }),
}

export const badQuery = (name: string, message: string) => {
  const issue: Issue = { path: `/query/${name}`, rule: 'value', message }
  return invalid('INVALID_REQUEST', [issue], `${name} ${message}.`)
}

/** The filters of a list, with `from` and `to` parsed. */
export const withInstants = <Others extends object>({
  from,
  to,
  ...others
}: Others & { from?: string; to?: string }) => ({
  ...others,
  fromMs: readInstant('from', from),
  toMs: readInstant('to', to),
})

/** Refuses a leap second: it matches the format, but JavaScript cannot represent it. */
export function readInstant(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw badQuery(name, 'must be a time')
  return ms
}
