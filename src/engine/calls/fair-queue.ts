// A queue in which accounts take turns: one of each, then the next of each. Within an account, first
// come, first served; whoever comes again is as old as before.

type Queued = { accountId: string; sinceMs: number }

export type FairQueue<Entry extends Queued> = {
  add(entry: Entry): void
  remove(entry: Entry): boolean
  takeNext(): Entry | undefined
  /** The next ones in the order in which they would be taken. */
  inOrder(most: number): Entry[]
  /** How many would be taken before one more. `others`: further entries, by account. */
  before(entry: Pick<Entry, 'accountId' | 'sinceMs'>, others: ReadonlyMap<string, number>): number
  all(): Iterable<Entry>
  size(): number
}

export function createFairQueue<Entry extends Queued>(): FairQueue<Entry> {
  /** In the order of turns: whose turn it was goes to the end. */
  const accounts = new Map<string, Entry[]>()
  let size = 0
  return {
    add(entry) {
      const own = accounts.get(entry.accountId)
      if (own) own.splice(indexIn(own, entry), 0, entry)
      else accounts.set(entry.accountId, [entry])
      size++
    },
    remove(entry) {
      const own = accounts.get(entry.accountId)
      const index = own?.indexOf(entry) ?? -1
      if (!own || index === -1) return false
      own.splice(index, 1)
      if (own.length === 0) accounts.delete(entry.accountId)
      size--
      return true
    },
    takeNext() {
      const [first] = accounts
      if (!first) return undefined
      const [accountId, own] = first
      const entry = own.shift()
      accounts.delete(accountId)
      if (own.length > 0) accounts.set(accountId, own)
      size--
      return entry
    },
    inOrder(most) {
      const order: Entry[] = []
      for (let round = 0; order.length < Math.min(most, size); round++) {
        for (const own of accounts.values()) {
          const entry = own[round]
          if (entry) order.push(entry)
          if (order.length === most) break
        }
      }
      return order
    },
    before(entry, others) {
      const ahead =
        indexIn(accounts.get(entry.accountId) ?? [], entry) + (others.get(entry.accountId) ?? 0)
      let count = ahead
      for (const accountId of new Set([...accounts.keys(), ...others.keys()])) {
        if (accountId === entry.accountId) continue
        const theirs = (accounts.get(accountId)?.length ?? 0) + (others.get(accountId) ?? 0)
        count += Math.min(theirs, ahead + 1)
      }
      return count
    },
    *all() {
      for (const own of accounts.values()) yield* own
    },
    size: () => size,
  }
}

/** Behind all that are as old; most come last. */
function indexIn(own: readonly Queued[], entry: Queued): number {
  let index = own.length
  while (index > 0 && (own[index - 1]?.sinceMs ?? 0) > entry.sinceMs) index--
  return index
}
