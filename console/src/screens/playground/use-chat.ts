import { useEffect, useRef, useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { newId } from '#console/lib/ids.ts'
import { type ChatSettings, chatBody, keepTurns, keptTurns, type Turn } from './conversation.ts'
import { streamChat } from './stream-chat.ts'

export type Chat = {
  turns: readonly Turn[]
  isAnswering: boolean
  ask(history: readonly Turn[], question: Pick<Turn, 'text' | 'images'>): void
  stop(): void
  clear(): void
}

/** One conversation with one model. Answers grow as they arrive; stopping keeps what is there. */
export function useChat(
  model: string,
  settings: ChatSettings,
  { accountId, slot }: { accountId: string; slot: string },
): Chat {
  const [turns, setTurns] = useState<readonly Turn[]>(() => keptTurns(accountId, slot))
  const [isAnswering, setAnswering] = useState(false)
  const aborter = useRef<AbortController | null>(null)
  useEffect(() => () => aborter.current?.abort(), [])
  useEffect(() => {
    if (!isAnswering) keepTurns(accountId, slot, turns)
  }, [isAnswering, turns, accountId, slot])

  async function ask(history: readonly Turn[], question: Pick<Turn, 'text' | 'images'>) {
    const asked = [...history, { id: newId(), role: 'user' as const, ...question }]
    const answer: Turn = { id: newId(), role: 'assistant', text: '' }
    const controller = new AbortController()
    aborter.current = controller
    const startedMs = performance.now()
    const show = (change: Partial<Turn>) =>
      setTurns((shown) =>
        shown.map((turn) => (turn.id === answer.id ? { ...turn, ...change } : turn)),
      )
    let text = ''
    setTurns([...asked, answer])
    setAnswering(true)
    try {
      const end = await streamChat(chatBody(model, asked, settings), {
        signal: controller.signal,
        onText(piece) {
          text += piece
          show({ text })
        },
      })
      show({ end: { ...endOf(end), ms: performance.now() - startedMs } })
    } catch (error) {
      const problem = controller.signal.aborted ? 'Stopped.' : toApiFailure(error).message
      show({
        end: {
          ...endOf({ model, finishReason: null, usage: null }),
          problem,
          ms: performance.now() - startedMs,
        },
      })
    } finally {
      setAnswering(false)
    }
  }
  return {
    turns,
    isAnswering,
    ask: (history, question) => void ask(history, question),
    stop: () => aborter.current?.abort(),
    clear: () => setTurns([]),
  }
}

const endOf = ({ model, finishReason, usage }: Awaited<ReturnType<typeof streamChat>>) => ({
  model,
  finishReason,
  inputTokens: usage?.inputTokens ?? null,
  outputTokens: usage?.outputTokens ?? null,
  cost: usage?.cost ?? null,
})
