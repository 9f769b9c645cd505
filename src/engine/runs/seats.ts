/** How many runs a process works on, by account, and how many it may. */
export type Seats = {
  /** Over all accounts. */
  room(): number
  taken(accountId: string): number
  take(accountId: string): void
  leave(accountId: string): void
  /** Keeps seats for runs that are being stored: as many as were wanted and are free. */
  hold(accountId: string, wanted: number): HeldSeats
  isAnyHeld(): boolean
}
export type HeldSeats = { count: number; letGo(): void }

export function createSeats(limits: { capacity: number; activePerAccount: number }): Seats {
  const ofAccount = new Map<string, number>()
  let all = 0
  let held = 0
  const count = (accountId: string, change: number) => {
    all += change
    const left = (ofAccount.get(accountId) ?? 0) + change
    if (left > 0) ofAccount.set(accountId, left)
    else ofAccount.delete(accountId)
  }
  const room = () => limits.capacity - all
  const taken = (accountId: string) => ofAccount.get(accountId) ?? 0
  return {
    room,
    taken,
    take: (accountId) => count(accountId, 1),
    leave: (accountId) => count(accountId, -1),
    hold(accountId, wanted) {
      const free = Math.min(wanted, room(), limits.activePerAccount - taken(accountId))
      const seats = Math.max(0, free)
      count(accountId, seats)
      held += seats
      return {
        count: seats,
        letGo() {
          count(accountId, -seats)
          held -= seats
        },
      }
    },
    isAnyHeld: () => held > 0,
  }
}
