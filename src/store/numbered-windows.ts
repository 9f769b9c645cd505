/** The numbers of an account's list that may match a search; none if oldest > newest. */
export type NumberRange = { oldest: number; newest: number }

// Reading a window occupies SQLite's only reading connection for some milliseconds. A request ends
// after its last window, and its caller may ask for more.
const rowsPerWindow = 2_000
const windows = 5

/**
 * Rows with a number below `before`, newest first. `read` is called with windows of a bounded
 * number of rows. `next` is where to continue, even if nothing matched.
 */
export async function readWindows<Row extends { seq: number }>(
  range: NumberRange,
  { before, limit }: { before: number | null; limit: number },
  read: (window: NumberRange, wanted: number) => Promise<Row[]>,
): Promise<{ rows: Row[]; next: number | null }> {
  const rows: Row[] = []
  let newest = Math.min(range.newest, (before ?? Number.POSITIVE_INFINITY) - 1)
  for (let window = 0; window < windows && newest >= range.oldest; window++) {
    const oldest = Math.max(range.oldest, newest - rowsPerWindow + 1)
    rows.push(...(await read({ oldest, newest }, limit + 1 - rows.length)))
    if (rows.length > limit) return { rows: rows.slice(0, limit), next: rows[limit - 1]?.seq ?? 0 }
    newest = oldest - 1
  }
  return { rows, next: newest < range.oldest ? null : newest + 1 }
}

// Counting reads more than a page does, and is asked for once, not with every look at a list.
const countedWindows = 25

/** How many rows match; `isExact` is false if there may be more of them further back. */
export async function countWindows(
  range: NumberRange,
  count: (window: NumberRange) => Promise<number>,
): Promise<{ total: number; isExact: boolean }> {
  let total = 0
  let { newest } = range
  for (let window = 0; window < countedWindows && newest >= range.oldest; window++) {
    const oldest = Math.max(range.oldest, newest - rowsPerWindow + 1)
    total += await count({ oldest, newest })
    newest = oldest - 1
  }
  return { total, isExact: newest < range.oldest }
}
