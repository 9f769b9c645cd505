/** What is given in one event-loop turn is written together; what comes meanwhile, next. */
export function inTurns<Item>(write: (take: () => Item[]) => Promise<void>) {
  type Waiting = { item: Item; done(): void; failed(error: unknown): void }
  let waiting: Waiting[] = []
  let isWriting = false

  const writeAll = async () => {
    while (waiting.length > 0) {
      let turn: Waiting[] | undefined
      // Taken late, so that what comes until the transaction begins is in it.
      const take = () => {
        if (!turn) {
          turn = waiting
          waiting = []
        }
        return turn.map(({ item }) => item)
      }
      try {
        await write(take)
        for (const { done } of turn ?? []) done()
      } catch (error) {
        take()
        for (const { failed } of turn ?? []) failed(error)
      }
    }
    isWriting = false
  }
  return (item: Item): Promise<void> =>
    new Promise((done, failed) => {
      waiting.push({ item, done, failed })
      if (isWriting) return
      isWriting = true
      void writeAll()
    })
}
