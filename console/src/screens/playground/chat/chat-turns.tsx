import { useShortcut } from '#console/lib/use-shortcut.ts'
import { AnswerView } from './answer-view.tsx'
import { QuestionView } from './question-view.tsx'
import { ResultsView } from './results-view.tsx'
import { stepOf } from './sibling-steps.tsx'
import { type Answer, type Question, type Side, siblingsOf, type Turn } from './turn-tree.ts'
import type { OpenConversation } from './use-conversation.ts'

type ChatTurnsProps = {
  open: OpenConversation
  side: Side
  /** The model that answers from now on. */
  model: string
  onEdit(question: Question, position: number): void
  onBranch(answer: Answer): void
}

export function ChatTurns({ open, side, model, onEdit, onBranch }: ChatTurnsProps) {
  const path = open.paths[side]
  const step = (turn: Turn | undefined, by: -1 | 1) => {
    const other = turn && stepOf(siblingsOf(open.turns, turn), turn, by)
    if (other) open.show(other)
  }
  const last = path.findLast((turn) => siblingsOf(open.turns, turn).length > 1)
  useShortcut('Alt+ArrowLeft', 'Previous version', () => step(last, -1), { enabled: !!last })
  useShortcut('Alt+ArrowRight', 'Next version', () => step(last, 1), { enabled: !!last })
  if (path.length === 0)
    return <p className="text-soft">Ask something. Answers appear as they are written.</p>
  return (
    <ol className="flex flex-col gap-5">
      {path.map((turn, position) => (
        <li
          key={turn.id}
          onKeyDown={(event) => {
            const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : null
            if (!event.altKey || by === null || siblingsOf(open.turns, turn).length < 2) return
            event.preventDefault()
            step(turn, by)
          }}
        >
          <TurnView
            {...{ open, turn, model, onBranch }}
            isLast={position === path.length - 1}
            onEdit={(question) => onEdit(question, position)}
          />
        </li>
      ))}
    </ol>
  )
}

type TurnViewProps = {
  open: OpenConversation
  turn: Turn
  model: string
  isLast: boolean
  onEdit(question: Question): void
  onBranch(answer: Answer): void
}

function TurnView({ open, turn, model, isLast, onEdit, onBranch }: TurnViewProps) {
  const steps = { siblings: siblingsOf(open.turns, turn), turn, onShow: open.show }
  switch (turn.role) {
    case 'user':
      return <QuestionView turn={turn} steps={steps} onEdit={onEdit} />
    case 'tool':
      return <ResultsView turn={turn} />
    case 'assistant':
      return (
        <AnswerView
          turn={turn}
          steps={steps}
          isArriving={open.arriving.has(turn.id)}
          isLast={isLast}
          onAgain={() => open.answerAgain(turn, model)}
          onBranch={() => onBranch(turn)}
          onResults={(results) => open.sendResults(turn, model, results)}
        />
      )
    default:
      return turn satisfies never
  }
}
