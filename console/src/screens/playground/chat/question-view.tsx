import { Pencil } from 'lucide-react'
import { mediaPath } from '#console/lib/media-path.ts'
import { IconButton } from '#console/ui/icon-button.tsx'
import { Thumbnail } from '#console/ui/thumbnail.tsx'
import { SiblingSteps, type Steps } from './sibling-steps.tsx'
import type { Question } from './turn-tree.ts'

type QuestionViewProps = { turn: Question; steps: Steps; onEdit(turn: Question): void }

export const QuestionView = ({ turn, steps, onEdit }: QuestionViewProps) => (
  <div className="flex flex-col items-end gap-1">
    <h2 className="sr-only">Question</h2>
    <div className="flex w-fit max-w-[90%] items-start gap-2 rounded-md bg-sunken py-2 pr-2 pl-4">
      <div className="flex min-w-0 flex-col gap-2">
        {turn.images.map((url) => (
          <Thumbnail
            key={url}
            src={mediaPath(url)}
            alt="Added to the question"
            className="max-h-40 w-fit rounded-sm"
          />
        ))}
        <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{turn.text}</p>
      </div>
      <IconButton
        label="Edit and ask again"
        icon={<Pencil size={14} aria-hidden />}
        onClick={() => onEdit(turn)}
      />
    </div>
    <SiblingSteps {...steps} />
  </div>
)
