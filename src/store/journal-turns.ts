type Turn<Intent> = {
  text: string
  begun: Intent[]
  written: PromiseWithResolvers<void>
  tried: PromiseWithResolvers<void>
}

/**
 * Lines of one event-loop turn are written together: one call of the system serves them all.
 * `write` throws where it could not.
 */
export function openJournalTurns<Intent>(
  write: (text: string, begun: readonly Intent[]) => void,
  onError: (error: unknown) => void,
) {
  let turn: Turn<Intent> | undefined

  function current(): Turn<Intent> {
    if (turn) return turn
    turn = { text: '', begun: [], written: Promise.withResolvers(), tried: Promise.withResolvers() }
    // Nobody may be waiting for it.
    turn.written.promise.catch(() => {})
    setImmediate(end)
    return turn
  }

  function end() {
    if (!turn) return
    const { text, begun, written, tried } = turn
    turn = undefined
    try {
      write(text, begun)
      written.resolve()
    } catch (error) {
      written.reject(error)
      onError(error)
    }
    tried.resolve()
  }

  return {
    /** Rejects where the line was not written: the chat may not be made. */
    begin(line: string, intent: Intent): Promise<void> {
      const here = current()
      here.text += line
      here.begun.push(intent)
      return here.written.promise
    },
    /** The ledger may still take what was not written. A kill until then leaves its expected price. */
    settle(line: string): Promise<void> {
      const here = current()
      here.text += line
      return here.tried.promise
    },
    /** Writes what there is at once. */
    end,
  }
}
