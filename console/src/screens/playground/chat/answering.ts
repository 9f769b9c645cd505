// Asks models and lets their answers arrive, whichever screen is open. A question is stored before it is
// sent; what has arrived of an answer is stored every second. Stopping keeps
// what is there and finds out afterwards what it cost.
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import { announce } from '#console/lib/announce.ts'
import { newId } from '#console/lib/ids.ts'
import { type ChatSettings, chatBody, schemaOf } from './chat-request.ts'
import type { ChatStore } from './chat-store.ts'
import { type Arrived, type ChatEnd, streamChat } from './stream-chat.ts'
import { type Answer, type AnswerEnd, pathTo, type Turn } from './turn-tree.ts'

/** Often enough to look continuous, seldom enough for long answers. */
const showEveryMs = 100
const storeEveryMs = 1_000
/** The server settles a stopped call as soon as it notices; a busy one needs longer. */
const lookAfterMs = [1_000, 2_000, 5_000]

export type Asking = {
  /** What the answer follows: a question, or results of tools. Stored before it is sent. */
  asked: Turn
  model: string
  settings: ChatSettings
}

export function createAnswering(store: ChatStore) {
  const aborters = new Map<string, AbortController>()

  async function answer(asking: Asking): Promise<void> {
    const { asked } = asking
    const begun = newAnswer(asking)
    const controller = new AbortController()
    aborters.set(begun.id, controller)
    store.setArriving(begun.id, true)
    const release = holdLock(begun.id)
    const conversation = store.touched(asked.conversationId, asked.text)
    await store.put({ conversations: [conversation], turns: [asked, begun] })
    const ended = await receive(store, begun, { ...asking, signal: controller.signal })
    aborters.delete(begun.id)
    await store.put({ turns: [ended] })
    store.setArriving(begun.id, false)
    release()
    if (ended.end?.inputTokens === null) await findCost(store, ended)
  }

  /** Answers that no tab receives any more: their page was closed or reloaded. */
  async function endInterrupted(conversationId: string) {
    for (const turn of store.use.getState().turns[conversationId] ?? []) {
      if (turn.role !== 'assistant' || turn.end || aborters.has(turn.id)) continue
      if (await isArrivingElsewhere(turn.id)) continue
      const problem = 'The page was closed before the answer was complete.'
      const end: AnswerEnd = { ...endOf(nothingKnown(turn), 0), how: 'interrupted', problem }
      await store.put({ turns: [{ ...turn, end }] })
      void findCost(store, { ...turn, end })
    }
  }

  return {
    endInterrupted,
    answer: (asking: Asking) => void answer(asking),
    stop: (answerId: string) => aborters.get(answerId)?.abort(),
  }
}

function newAnswer({ asked, model, settings }: Asking): Answer {
  const { conversationId, side, id: parentId } = asked
  const schema = schemaOf(settings)
  return {
    ...{ id: newId(), conversationId, side, parentId, atMs: Date.now() },
    ...{ role: 'assistant', text: '', model, reasoning: '', toolCalls: [] },
    ...(schema ? { schema } : {}),
  }
}

type Receiving = Asking & { signal: AbortSignal }

/** Shows and stores the answer while it arrives. Returns it with its end, whatever that is. */
async function receive(store: ChatStore, begun: Answer, { settings, signal }: Receiving) {
  let turn = begun
  const startedMs = performance.now()
  const shown = createPacer(showEveryMs, () => store.showTurn(turn))
  const stored = createPacer(storeEveryMs, () => void store.put({ turns: [turn] }))
  announce('Answering')
  try {
    const path = pathTo(store.use.getState().turns[begun.conversationId] ?? [], begun.parentId)
    const end = await streamChat(chatBody(begun.model, path, settings), {
      signal,
      onArrived(arrived) {
        turn = withArrived(turn, arrived)
        shown.later()
        stored.later()
      },
    })
    announce('The answer is complete')
    return { ...turn, end: endOf(end, performance.now() - startedMs) }
  } catch (error) {
    const how = signal.aborted ? ('stopped' as const) : ('failed' as const)
    const problem = signal.aborted ? 'Stopped' : toApiFailure(error).message
    announce(signal.aborted ? 'Stopped' : `The answer failed: ${problem}`)
    const end = endOf(nothingKnown(begun), performance.now() - startedMs)
    return { ...turn, end: { ...end, how, problem } }
  } finally {
    shown.cancel()
    stored.cancel()
  }
}

/** A stopped or broken answer has no usage of its own, but the ledger knows what it took. */
async function findCost(store: ChatStore, turn: Answer) {
  const { answerId: requestId, end } = turn
  if (!requestId || !end) return
  for (const waitMs of lookAfterMs) {
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    const found = await consoleCall('GET /calls', { query: { requestId } }).catch(() => null)
    const call = found?.items[0]
    if (!call?.settledAt) continue
    const facts: AnswerEnd = {
      ...end,
      inputTokens: call.units.inputTokens ?? end.inputTokens,
      outputTokens: call.units.outputTokens ?? end.outputTokens,
      cost: call.cost?.amount ?? null,
    }
    return store.put({ turns: [{ ...turn, end: facts }] })
  }
}

const nothingKnown = ({ model }: Answer): ChatEnd => ({ model, finishReason: null, usage: null })

const withArrived = (turn: Answer, { answerId, ...arrived }: Arrived): Answer => ({
  ...turn,
  ...arrived,
  ...(answerId === undefined ? {} : { answerId }),
})

const endOf = ({ model, finishReason, usage, attempts }: ChatEnd, ms: number): AnswerEnd => ({
  model,
  finishReason,
  inputTokens: usage?.inputTokens ?? null,
  outputTokens: usage?.outputTokens ?? null,
  cost: usage?.cost ?? null,
  ms,
  ...(attempts ? { attempts } : {}),
})

/** Calls `act` at most once in this time, and soon after the last request. */
function createPacer(everyMs: number, act: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    later() {
      timer ??= setTimeout(() => {
        timer = undefined
        act()
      }, everyMs)
    },
    cancel: () => clearTimeout(timer),
  }
}

const lockOf = (answerId: string) => `atelier.answer.${answerId}`

/** Tells other tabs that this one still receives the answer, until it ends or the tab does. */
function holdLock(answerId: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  void navigator.locks?.request(lockOf(answerId), () => promise)
  return resolve
}

/** Whether another tab still receives the answer. Without locks (plain http) nobody knows. */
async function isArrivingElsewhere(answerId: string): Promise<boolean> {
  const { held = [] } = (await navigator.locks?.query()) ?? {}
  return held.some(({ name }) => name === lockOf(answerId))
}
