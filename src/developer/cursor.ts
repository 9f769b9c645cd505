// Lists of the developer area are read by cursor: a position in the list, sealed together with
// the account and the filters it was made for. A cursor that was changed, or is used with other
// filters or by another account, does not open and is a bad request.
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
  return {
    read(cursor: string | undefined): Position | null {
      if (cursor === undefined) return null
      try {
        return JSON.parse(box.open(place, Buffer.from(cursor, 'base64url')).toString())
      } catch {
        throw badCursor()
      }
    },
    write: (position: Position | null): string | null =>
      position === null
        ? null
        : Buffer.from(box.seal(place, Buffer.from(JSON.stringify(position)))).toString('base64url'),
  }
}

const badCursor = () =>
  invalid(
    'INVALID_REQUEST',
    [{ path: '/query/cursor', rule: 'cursor', message: 'is not a cursor of this list' }],
    'cursor must be the `next` of an answer to the same filters.',
  )
