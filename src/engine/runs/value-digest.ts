import { createHash } from 'node:crypto'
import { isRecord } from '#core/record.ts'
import { isMedia } from '#graph/node/values.ts'

/** The same for equal values: addresses of media change with time, members have no order. */
export function valueDigest(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(comparable(value)) ?? 'null')
    .digest('base64url')
}

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (!isRecord(value)) return value
  const members = isMedia(value) ? { ...value, url: value.url.split('?')[0] } : value
  return Object.keys(members)
    .sort()
    .map((name) => [name, comparable(members[name as keyof typeof members])])
}
