import { lineOf } from './chat-lines.ts'

type Turn<Intent> = {
  entries: string[]
  begun: Intent[]
  written: PromiseWithResolvers<void>
  tried: PromiseWithResolvers<void>
}

/**
 * Entries of one event-loop tick are written as one line: one call of the system serves them all,
 * and they count together or not at all. `write` throws where it could not.
 */
export function openJournalTurns<Intent>(
  write: (line: string, begun: readonly Intent[]) => void,
  onError: (error: unknown) => void,
) {
  let turn: Turn<Intent> | undefined

  function current(): Turn<Intent> {
    if (turn) return turn
    turn = {
      ...{ entries: [], begun: [] },
      ...{ written: Promise.withResolvers(), tried: Promise.withResolvers() },
    }
    // Nobody may be waiting for it.
    turn.written.promise.catch(() => {})
    setImmediate(end)
    return turn
  }

  function end() {
    if (!turn) return
    const { entries, begun, written, tried } = turn
    turn = undefined
    try {
      write(lineOf(entries), begun)
      written.resolve()
    } catch (error) {
      written.reject(error)
      onError(error)
    }
    tried.resolve()
  }

  return {
    /** Rejects where the entry was not written: the chat may not be made. */
    begin(entry: string, intent: Intent): Promise<void> {
      const here = current()
      here.entries.push(entry)
      here.begun.push(intent)
      return here.written.promise
    },
    /** The ledger may still take what was not written. A kill until then leaves its expected price. */
    settle(entry: string): Promise<void> {
      const here = current()
      here.entries.push(entry)
      return here.tried.promise
    },
    /** Writes what there is at once. */
    end,
  }
}
