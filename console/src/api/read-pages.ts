type Page<T> = { items: T[]; next: string | null }

/** Reads pages until there are enough items or no more: even an empty page may have a next. */
export async function readPages<T>(
  read: (cursor: string | undefined) => Promise<Page<T>>,
  { enough, mostPages }: { enough: number; mostPages: number },
): Promise<T[]> {
  const items: T[] = []
  let cursor: string | null | undefined
  for (let page = 0; page < mostPages && items.length < enough && cursor !== null; page++) {
    const answer: Page<T> = await read(cursor)
    items.push(...answer.items)
    cursor = answer.next
  }
  return items
}
