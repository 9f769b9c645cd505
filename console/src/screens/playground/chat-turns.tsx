import { Pencil } from 'lucide-react'
import { locale } from '#console/lib/locale.ts'
import { mediaPath } from '#console/lib/media-path.ts'
import { formatMoney } from '#console/lib/money.ts'
import { formatDuration } from '#console/lib/time.ts'
import { Code } from '#console/ui/code.tsx'
import { Copy } from '#console/ui/copy.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { partsOf, type Turn } from './conversation.ts'

type ChatTurnsProps = { turns: readonly Turn[]; onEdit(turn: Turn): void }

export const ChatTurns = ({ turns, onEdit }: ChatTurnsProps) => (
  <ol className="flex flex-col gap-4">
    {turns.map((turn) => (
      <li key={turn.id}>
        {turn.role === 'user' ? <Question turn={turn} onEdit={onEdit} /> : <Answer turn={turn} />}
      </li>
    ))}
  </ol>
)

const Question = ({ turn, onEdit }: { turn: Turn; onEdit(turn: Turn): void }) => (
  <div className="ml-auto flex w-fit max-w-[90%] items-start gap-2 rounded-md bg-sunken py-2 pr-2 pl-4">
    <div className="flex min-w-0 flex-col gap-2">
      {turn.images?.map((url) => (
        <img
          key={url}
          src={mediaPath(url)}
          alt="Added to the question"
          className="max-h-32 rounded-sm"
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
)

function Answer({ turn }: { turn: Turn }) {
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {partsOf(turn.text).map((part, index) =>
        part.kind === 'code' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts only grow at the end
          <Code key={index} label="code" text={part.text.trimEnd()} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts only grow at the end
          <p key={index} className="whitespace-pre-wrap [overflow-wrap:anywhere]">
            {part.text.trim()}
          </p>
        ),
      )}
      {!turn.end && (
        <span role="status" className="animate-pulse text-soft text-sm">
          Answering…
        </span>
      )}
      {turn.end && <Facts turn={turn} end={turn.end} />}
    </div>
  )
}

const count = new Intl.NumberFormat(locale)

function Facts({ turn, end }: { turn: Turn; end: NonNullable<Turn['end']> }) {
  const facts = [
    end.model,
    end.inputTokens !== null && `${count.format(end.inputTokens)} tokens in`,
    end.outputTokens !== null && `${count.format(end.outputTokens)} out`,
    end.cost !== null && formatMoney(end.cost, 'USD', locale),
    formatDuration(end.ms),
  ].filter(Boolean)
  return (
    <>
      {end.problem && <p className="text-bad text-sm">{end.problem}</p>}
      {end.finishReason === 'length' && (
        <p className="text-sm text-warn">Cut off: the token limit was reached.</p>
      )}
      <p className="flex flex-wrap items-center gap-x-2 text-soft text-xs">
        {facts.join(' · ')}
        {turn.text && <Copy text={turn.text} label="Copy the answer" />}
      </p>
    </>
  )
}
