// Lists of the developer area are read by cursor: a position in the list, signed together with
// the account and the filters it was made for. A cursor that was changed, or is used with other
// filters or by another account, is a bad request. The same position has the same cursor, so that
// an unchanged list has an unchanged answer and its ETag holds.
import { timingSafeEqual } from 'node:crypto'
import { type TObject, Type } from 'typebox'
import { invalid } from '#core/errors.ts'
import { Closed, Nullable } from '#operations/schemas.ts'
import type { SecretBox } from '#store/secret-box.ts'

/** Members of the query of every list. */
export const listQuery = {
  cursor: Type.Optional(
    Type.String({ maxLength: 1_000, description: '`next` of the answer before.' }),
  ),
  size: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Items per answer.' }),
  ),
}

export const listOf = (item: TObject) =>
  Closed({
    items: Type.Array(item),
    next: Nullable(
      Type.String({
        description:
          'Cursor of what follows; null at the end. Where a filter matches little, an answer may hold few items or none and still have a `next`.',
      }),
    ),
  })

export type ListScope = {
  list: string
  accountId: string
  /** Everything but the cursor and the size that decides what the list holds. */
  filters: Record<string, unknown>
}

/** Positions are plain JSON values that their list alone understands. */
export function cursorsOf<Position>(box: SecretBox, { list, accountId, filters }: ListScope) {
  const entries = Object.entries(filters).filter(([, value]) => value !== undefined)
  const place = { table: `cursor of ${list}`, row: JSON.stringify([accountId, entries.sort()]) }
  const sign = (text: string) => box.sign(place, text)
  return {
    read(cursor: string | undefined): Position | null {
      if (cursor === undefined) return null
      const bytes = Buffer.from(cursor, 'base64url')
      const text = bytes.subarray(signatureBytes).toString()
      const given = bytes.subarray(0, signatureBytes)
      if (given.length < signatureBytes || !timingSafeEqual(given, sign(text))) throw badCursor()
      return JSON.parse(text)
    },
    write(position: Position | null): string | null {
      if (position === null) return null
      const text = JSON.stringify(position)
      return Buffer.concat([sign(text), Buffer.from(text)]).toString('base64url')
    },
  }
}

const signatureBytes = 32

const badCursor = () =>
  invalid(
    'INVALID_REQUEST',
    [{ path: '/query/cursor', rule: 'cursor', message: 'is not a cursor of this list' }],
    'cursor must be the `next` of an answer to the same filters.',
  )
