// Lists are read by page number or by cursor. A page is counted from the newest item, so it shifts
// when items are added or deleted meanwhile; a cursor is the position of the last item that was
// read, so that following it skips nothing and repeats nothing.
import { invalid } from '#core/errors.ts'
import { type TObject, Type } from '#core/schema.ts'
import { Closed, Nullable } from '../schemas.ts'

const pageAndSize = (size: number) => ({
  page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 1,
      description: 'Page number, from 1.',
    }),
  ),
  size: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: size, description: 'Items per page.' }),
  ),
})

export const pageQuery = (size: number) =>
  Type.Object({
    ...pageAndSize(size),
    cursor: Type.Optional(
      Type.String({
        maxLength: 200,
        description:
          '`next` of the previous answer, in place of `page`: nothing is skipped if items are deleted while you read.',
      }),
    ),
  })

/** The arguments of a tool, which the specification limits to page and size. */
export const pageArguments = (size: number) => Closed(pageAndSize(size))

export const pageOf = (item: TObject) =>
  Closed({
    items: Type.Array(item),
    page: Type.Integer({ minimum: 1, description: '1 if the list was read by cursor.' }),
    size: Type.Integer({ minimum: 1 }),
    total: Type.Integer({ minimum: 0 }),
    totalPages: Type.Integer({ minimum: 0 }),
    next: Nullable(
      Type.String({ description: '`cursor` of the items after these; null at the end.' }),
    ),
  })

/** Whole numbers whose meaning only their list knows. A made-up one shows no more than a page. */
export type Position = readonly number[]

/** Which items to read: those of a page, or those after a position. */
export type From = { size: number; page: number; after: Position | null }

export function readFrom(
  { page = 1, size, cursor }: { page?: number; size?: number; cursor?: string },
  { defaultSize, numbers }: { defaultSize: number; numbers: number },
): From {
  if (cursor === undefined) return { page, size: size ?? defaultSize, after: null }
  const after = Buffer.from(cursor, 'base64url').toString().split('.').map(Number)
  const isKnown = after.length === numbers && after.every((number) => Number.isSafeInteger(number))
  if (page !== 1 || !isKnown || writeCursor(after) !== cursor) throw badCursor()
  return { page, size: size ?? defaultSize, after }
}

const writeCursor = (position: Position): string =>
  Buffer.from(position.join('.')).toString('base64url')

const badCursor = () =>
  invalid(
    'INVALID_REQUEST',
    [{ path: '/query/cursor', rule: 'cursor', message: 'is not a cursor of this list' }],
    'cursor must be the `next` of an answer of this list, without page.',
  )

export const toPage = <T>(
  items: T[],
  { page, size }: From,
  { total, next }: { total: number; next: Position | null },
) => ({
  ...{ items, page, size, total },
  totalPages: Math.ceil(total / size),
  next: next && writeCursor(next),
})
