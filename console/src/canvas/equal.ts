/** Equal as JSON: the order of keys does not matter, and undefined members count as absent. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, i) => sameJson(item, b[i]))
    )
  }
  const [mine, theirs] = [members(a), members(b)]
  return (
    mine.size === theirs.size &&
    [...mine].every(([key, value]) => theirs.has(key) && sameJson(value, theirs.get(key)))
  )
}

const members = (value: object) =>
  new Map(Object.entries(value).filter(([, item]) => item !== undefined))
