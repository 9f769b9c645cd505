/**
 * How deeply a value from outside may be nested. Code that reads, writes or displays values
 * recurses, and a few thousand levels would overflow its stack.
 */
export const maxDepth = 64

export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const member of Object.values(value)) if (isDeeperThan(member, levels - 1)) return true
  return false
}
