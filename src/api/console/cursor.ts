// Lists of the console API are paged by cursor: a position in the list, signed together with
// the account and the filters it was made for. A cursor that was modified, or is used with other
// filters or by another account, is refused. The same position always has the same cursor, so an
// unchanged list keeps its ETag.
import { invalid } from '#core/errors.ts'
import { type TObject, Type } from '#core/schema.ts'
import type { SecretBox } from '#store/secret-box.ts'
import { Closed, Nullable } from '../schemas.ts'

/** Query parameters of every list. */
export const listQuery = {
  cursor: Type.Optional(
    Type.String({ maxLength: 1_000, description: '`next` of the previous answer.' }),
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
          'Cursor of the next page; null at the end. If a filter matches little, a page may have few items or none and still have a `next`.',
      }),
    ),
  })

export type ListScope = {
  list: string
  accountId: string
  /** Everything that determines the content of the list, except cursor and size. */
  filters: Record<string, unknown>
}

/** Positions are plain JSON values whose meaning only their list knows. */
export function cursorsOf<Position>(box: SecretBox, { list, accountId, filters }: ListScope) {
  const entries = Object.entries(filters).filter(([, value]) => value !== undefined)
  const scope = { table: `cursor of ${list}`, row: JSON.stringify([accountId, entries.sort()]) }
  const sign = (text: string) => box.sign(scope, text)
  return {
    read(cursor: string | undefined): Position | null {
      if (cursor === undefined) return null
      const bytes = Buffer.from(cursor, 'base64url')
      const text = bytes.subarray(signatureBytes).toString()
      const given = bytes.subarray(0, signatureBytes)
      if (given.length < signatureBytes || !box.isSigned(scope, text, given)) throw badCursor()
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
