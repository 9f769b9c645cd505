// Decides which calls may start under spend limits. A call starts if it fits what is spent and
// what is reserved, waits if it fits only what is spent, and is refused if it does not even fit
// that. Calls are judged in the order they came, and none overtakes one that waits for the same
// limit: a large call is not starved by small ones.

import type { SpendBound } from './budgets.ts'

/** What counts against a limit. */
export type SpendUse = { spentMicros: number; heldMicros: number }

/** By the `id` of the bound. */
export type SpendUses = ReadonlyMap<string, SpendUse>

/** A call without a known price (null) passes until the limit is reached. */
export type SpendRequest = { neededMicros: number | null; bounds: readonly SpendBound[] }

export type SpendVerdict =
  | { is: 'fits' | 'waits' }
  | { is: 'refused'; bound: SpendBound; use: SpendUse }

/** `uses` has an entry for every bound; it is not changed. */
export function judgeInOrder(requests: readonly SpendRequest[], uses: SpendUses): SpendVerdict[] {
  const addedMicros = new Map<string, number>()
  const awaited = new Set<string>()
  const useOf = ({ id }: SpendBound): SpendUse => {
    const { spentMicros, heldMicros } = uses.get(id) ?? { spentMicros: 0, heldMicros: 0 }
    return { spentMicros, heldMicros: heldMicros + (addedMicros.get(id) ?? 0) }
  }
  return requests.map(({ neededMicros, bounds }) => {
    const refusing = bounds.find((bound) => !fitsIn(bound, useOf(bound).spentMicros, neededMicros))
    if (refusing) return { is: 'refused', bound: refusing, use: useOf(refusing) }
    const full = bounds.filter((bound) => {
      const { spentMicros, heldMicros } = useOf(bound)
      return !fitsIn(bound, spentMicros + heldMicros, neededMicros)
    })
    for (const { id } of full) awaited.add(id)
    if (bounds.some(({ id }) => awaited.has(id))) return { is: 'waits' }
    for (const { id } of bounds) {
      addedMicros.set(id, (addedMicros.get(id) ?? 0) + (neededMicros ?? 0))
    }
    return { is: 'fits' }
  })
}

const fitsIn = ({ limitMicros }: SpendBound, usedMicros: number, neededMicros: number | null) =>
  neededMicros === null ? usedMicros < limitMicros : usedMicros + neededMicros <= limitMicros
