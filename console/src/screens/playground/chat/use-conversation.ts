import { useEffect, useMemo } from 'react'
import { newId } from '#console/lib/ids.ts'
import { useKept } from '#console/lib/use-kept.ts'
import { type ChatSettings, noSettings } from './chat-request.ts'
import { answering, chats } from './chats.ts'
import { type Choices, placeOf, type Side, shownPath, type Turn } from './turn-tree.ts'

export type Typed = {
  text: string
  images: readonly string[]
  /** Position of the earlier question that this one is another version of. */
  replaces: number | null
}

const nothingTyped: Typed = { text: '', images: [], replaces: null }
const noTurns: readonly Turn[] = []
const noChoices: Choices = {}

/** One conversation as it is shown: its turns, what is typed, its settings. */
export function useConversation(owner: string, conversationId: string) {
  const turns = chats.use(({ turns }) => turns[conversationId]) ?? noTurns
  const arriving = chats.use((state) => state.arriving)
  const [typed, setTyped] = useKept<Typed>(`${owner}.typed.${conversationId}`, nothingTyped)
  const [latest, setLatest] = useKept<ChatSettings>(`${owner}.settings`, noSettings)
  const [settings, setOwn] = useKept<ChatSettings>(`${owner}.settings.${conversationId}`, latest)
  const [choices, setChoices] = useKept<Choices>(`${owner}.shown.${conversationId}`, noChoices)
  useEffect(() => {
    void chats.read(conversationId).then(() => answering.endInterrupted(conversationId))
  }, [conversationId])
  const paths = useMemo(
    () => ({
      left: shownPath(turns, 'left', choices),
      right: shownPath(turns, 'right', choices),
    }),
    [turns, choices],
  )
  const show = (turn: Turn) => setChoices({ ...choices, [placeOf(turn)]: turn.id })

  return {
    turns,
    paths,
    arriving,
    typed,
    setTyped,
    settings,
    /** A new conversation starts with the settings of the one before. */
    setSettings(next: ChatSettings) {
      setOwn(next)
      setLatest(next)
    },
    show,
    /** Follows the last shown turn, or becomes another version of an earlier question. */
    ask(asked: Typed, models: readonly { side: Side; model: string }[]) {
      const added = models.map(({ side, model }) => {
        const path = paths[side]
        const replaced = asked.replaces === null ? undefined : path[asked.replaces]
        const parentId = replaced ? replaced.parentId : (path.at(-1)?.id ?? null)
        const { text, images } = asked
        const question: Turn = {
          ...{ id: newId(), conversationId, side, parentId, atMs: Date.now() },
          ...{ role: 'user', text, images },
        }
        answering.answer({ asked: question, model, settings })
        return question
      })
      setChoices({
        ...choices,
        ...Object.fromEntries(added.map((turn) => [placeOf(turn), turn.id])),
      })
      setTyped(nothingTyped)
    },
    /** Asks again what an answer answered; the new answer becomes its sibling and is shown. */
    answerAgain(turn: Turn, model: string) {
      const asked = turns.find(({ id }) => id === turn.parentId)
      if (!asked) return
      answering.answer({ asked, model, settings })
      const { [placeOf(turn)]: _, ...others } = choices
      setChoices(others)
    },
    sendResults(turn: Turn, model: string, results: readonly { callId: string; text: string }[]) {
      const asked: Turn = {
        ...{ id: newId(), conversationId, side: turn.side, parentId: turn.id, atMs: Date.now() },
        ...{ role: 'tool', text: '', results },
      }
      answering.answer({ asked, model, settings })
    },
  }
}

export type OpenConversation = ReturnType<typeof useConversation>
