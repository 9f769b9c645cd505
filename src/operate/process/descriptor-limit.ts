import { readFileSync } from 'node:fs'

/** How many files and connections this process may have open; Infinity if nobody says. */
export function descriptorLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const soft = /^Max open files +([0-9]+)/m.exec(limits)?.[1]
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    // Only Linux has this file.
    return Number.POSITIVE_INFINITY
  }
}
