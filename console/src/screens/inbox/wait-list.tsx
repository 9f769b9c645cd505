import type { WaitSummary } from '#console/api/types.ts'
import { cx } from '#console/lib/cx.ts'
import { titleOf } from '#console/shared/wait-words.ts'
import { When } from '#console/ui/when.tsx'

type WaitListProps = {
  items: readonly WaitSummary[]
  selected: string | undefined
  onOpen(wait: WaitSummary): void
}

export function WaitList({ items, selected, onOpen }: WaitListProps) {
  if (items.length === 0) return <p className="text-soft">Nothing else waits for you.</p>
  return (
    <ul
      aria-label="What waits"
      className="flex flex-col overflow-hidden rounded-md border border-line bg-card"
    >
      {items.map((wait) => (
        <li key={wait.waitId} className="border-line not-first:border-t">
          <button
            type="button"
            aria-current={wait.waitId === selected ? 'true' : undefined}
            onClick={() => onOpen(wait)}
            className={cx(
              'flex w-full min-w-0 flex-col gap-0.5 px-4 py-3 text-left hover:bg-sunken',
              wait.waitId === selected && 'bg-sunken',
            )}
          >
            <span className="line-clamp-2 font-semibold [overflow-wrap:anywhere]">
              {titleOf(wait)}
            </span>
            <span className="flex w-full justify-between gap-3 text-soft text-sm">
              <span className="truncate">{wait.workflowName}</span>
              <When at={wait.since} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}
