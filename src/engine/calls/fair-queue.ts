// A queue in which accounts take turns: one of each, then the next of each. Within an account, first
// come, first served.

export type FairQueue<Entry> = {
  add(entry: Entry): void
  remove(entry: Entry): boolean
  takeNext(): Entry | undefined
  /** The next ones in the order in which they would be taken. */
  inOrder(most: number): Entry[]
  size(): number
}

export function createFairQueue<Entry extends { accountId: string }>(): FairQueue<Entry> {
  /** In the order of turns: whose turn it was goes to the end. */
  const accounts = new Map<string, Entry[]>()
  let size = 0
  return {
    add(entry) {
      const own = accounts.get(entry.accountId)
      if (own) own.push(entry)
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
    size: () => size,
  }
}
