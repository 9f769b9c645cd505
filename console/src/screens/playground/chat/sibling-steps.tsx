import { ChevronLeft, ChevronRight } from 'lucide-react'
import { IconButton } from '#console/ui/icon-button.tsx'
import type { Turn } from './turn-tree.ts'

export type Steps = { siblings: readonly Turn[]; turn: Turn; onShow(turn: Turn): void }

export const stepOf = (siblings: readonly Turn[], turn: Turn, by: -1 | 1): Turn | undefined => {
  const at = siblings.findIndex(({ id }) => id === turn.id)
  return siblings[at + by]
}

/** "2 of 3": the other versions of a question or an answer. */
export function SiblingSteps({ siblings, turn, onShow }: Steps) {
  if (siblings.length < 2) return null
  const [before, after] = [stepOf(siblings, turn, -1), stepOf(siblings, turn, 1)]
  return (
    <span className="inline-flex items-center text-soft text-xs">
      <IconButton
        label="Previous version"
        shortcut="Alt+ArrowLeft"
        icon={<ChevronLeft size={14} aria-hidden />}
        disabled={!before}
        onClick={() => before && onShow(before)}
      />
      {siblings.findIndex(({ id }) => id === turn.id) + 1} of {siblings.length}
      <IconButton
        label="Next version"
        shortcut="Alt+ArrowRight"
        icon={<ChevronRight size={14} aria-hidden />}
        disabled={!after}
        onClick={() => after && onShow(after)}
      />
    </span>
  )
}
