/**
 * How deeply a value from outside may be nested. Code that reads, writes or displays values
 * recurses, and a few thousand levels would overflow its stack.
 */
export const maxDepth = 64

export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  // Every answer of a provider passes here: lists of keys or values would double what it costs.
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeperThan(item, levels - 1)) return true
    return false
  }
  const members = value as Record<string, unknown>
  for (const key in members) if (isDeeperThan(members[key], levels - 1)) return true
  return false
}
