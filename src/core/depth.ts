/**
 * How deep a value from outside may be nested. Whatever reads, writes or shows it later recurses:
 * a value of some thousand levels would overflow the stack of whoever meets it first.
 */
export const maxDepth = 64

export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const member of Object.values(value)) if (isDeeperThan(member, levels - 1)) return true
  return false
}
