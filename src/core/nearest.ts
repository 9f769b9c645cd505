/** The known word a caller most likely meant, or null if none is close. For messages only. */
export function nearest(word: string, known: Iterable<string>): string | null {
  if (word.length > maxChars) return null
  // Up to a third of the letters may differ: "promt" and "max_tokens" are found, but "size" does
  // not suggest "seed".
  let least = Math.floor(word.length / 3) + 1
  let found: string | null = null
  for (const candidate of known) {
    const wrong = distance(plain(word), plain(candidate))
    if (wrong < least) {
      least = wrong
      found = candidate
    }
  }
  return found
}

const maxChars = 100

/** Makes snake_case, kebab-case and camelCase compare as equal. */
const plain = (word: string) => word.replaceAll(/[_-]/g, '').toLowerCase()

/** The number of letters to insert, delete, replace or swap with their neighbour. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swap = isSwap ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      row.push(Math.min(change, swap, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
