/** The first pages of a list as one, with the rest of what the last of them says. */
export async function firstPages<T, P extends { items: T[]; next: string | null }>(
  read: (cursor: string | null) => Promise<P>,
  pages: number,
): Promise<P> {
  let shown = await read(null)
  for (let page = 1; page < pages && shown.next !== null; page++) {
    const more = await read(shown.next)
    shown = { ...more, items: [...shown.items, ...more.items] }
  }
  return shown
}
