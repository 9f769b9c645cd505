// Has the server check the graph 250 ms after the last change. Only the newest call counts: the
// answer for an older graph is dropped.

export const checkDelayMs = 250

export type Timers = {
  set(run: () => void, ms: number): number
  clear(timer: number): void
}

type CheckOptions<Doc, Answer> = {
  ask(doc: Doc, signal: AbortSignal): Promise<Answer>
  onAnswer(answer: Answer, doc: Doc): void
  /** The last answer stays on screen; this marks it as outdated. */
  onFailure(error: unknown): void
  timers: Timers
}

export function createChecker<Doc, Answer>(options: CheckOptions<Doc, Answer>) {
  const { ask, onAnswer, onFailure, timers } = options
  let sequence = 0
  let timer: number | null = null
  let running: AbortController | null = null

  const stop = () => {
    if (timer !== null) timers.clear(timer)
    timer = null
  }

  async function start(doc: Doc) {
    stop()
    running?.abort()
    running = new AbortController()
    const mine = ++sequence
    try {
      const answer = await ask(doc, running.signal)
      if (mine === sequence) onAnswer(answer, doc)
    } catch (error) {
      if (mine === sequence) onFailure(error)
    }
  }

  return {
    changed(doc: Doc) {
      stop()
      // A call in progress is now about an older graph.
      sequence++
      timer = timers.set(() => void start(doc), checkDelayMs)
    },
    now: start,
    close() {
      stop()
      sequence++
      running?.abort()
    },
  }
}
