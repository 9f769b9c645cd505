import { GitCompareArrows, X } from 'lucide-react'
import type { ListedRun } from '#console/api/types.ts'
import { useBase, useShown } from '#console/canvas/context.ts'
import { cx } from '#console/lib/cx.ts'
import { locale } from '#console/lib/locale.ts'
import { formatMoney } from '#console/lib/money.ts'
import { clockTime, fullTime } from '#console/lib/time.ts'
import { runStatusLook } from '#console/shared/run-looks.ts'
import { Button } from '#console/ui/button.tsx'
import { Status } from '#console/ui/status.tsx'
import { AnswerDialog } from './answer-dialog.tsx'
import { rejectedLook } from './node-state.ts'
import { ReplaySlider } from './replay-slider.tsx'
import type { ShownRunAddress } from './run-address.ts'
import { runLook } from './run-look.ts'
import { useRunsOf } from './use-runs-of.ts'

type RunStripProps = ShownRunAddress & { pins: { count: number; unpinAll(): void } }

/** The newest runs of this workflow: one is shown on the nodes, a second compared with it. */
export function RunStrip({ runId, otherId, onShow, onCompare, pins }: RunStripProps) {
  const { workflowId } = useBase()
  const runs = useRunsOf(workflowId)
  if (workflowId === null || runs === null) return null
  return (
    <section
      aria-label="Runs"
      className="flex min-h-9 shrink-0 items-center gap-2 border-line border-t bg-card px-4 text-sm max-md:px-3"
    >
      <h2 className="text-soft">Runs</h2>
      {runs.length === 0 && (
        <p className="truncate text-soft">None yet. Results will stand on the nodes.</p>
      )}
      <ul className="flex min-w-0 grow items-center gap-1 overflow-x-auto py-1">
        {runs.map((run) => (
          <li key={run.runId} className="flex shrink-0">
            <Chip
              run={run}
              letter={
                run.runId === runId ? (otherId ? 'A' : '') : run.runId === otherId ? 'B' : null
              }
              onShow={() => onShow(run.runId === runId ? null : run.runId)}
              onCompare={runId && run.runId !== runId ? () => onCompare(run.runId) : null}
            />
          </li>
        ))}
      </ul>
      {pins.count > 0 && (
        <span className="flex shrink-0 items-center gap-1 text-soft">
          {pins.count} pinned
          <Button size="small" variant="quiet" onClick={pins.unpinAll}>
            Unpin all
          </Button>
        </span>
      )}
      {runId && !otherId && <ReplaySlider />}
      {runId && <AnswerDialog />}
      {runId && (
        <Button
          size="small"
          variant="quiet"
          icon={<X size={14} aria-hidden />}
          onClick={() => (otherId ? onCompare(null) : onShow(null))}
        >
          {otherId ? 'Stop comparing' : 'Hide results'}
        </Button>
      )}
    </section>
  )
}

type ChipProps = {
  run: ListedRun
  /** Null if the run is not shown; a letter while two are compared. */
  letter: string | null
  onShow(): void
  onCompare: (() => void) | null
}

function Chip({ run, letter, onShow, onCompare }: ChipProps) {
  const at = Date.parse(run.createdAt)
  const state = useShown(({ run: shown }) => shown?.state)
  // Only the shown run tells what its nodes do.
  const own = state?.run.runId === run.runId ? runLook(state) : runStatusLook(run.status)
  const look =
    run.rejected && run.status === 'COMPLETED'
      ? { ...rejectedLook, label: `${own.label}, rejected` }
      : own
  const cost = run.cost.amount > 0 ? formatMoney(run.cost.amount, run.cost.currency, locale) : ''
  return (
    <span
      className={cx(
        'group flex items-center rounded-sm border',
        letter === null ? 'border-transparent' : 'border-accent bg-sunken',
      )}
    >
      <button
        type="button"
        aria-pressed={letter !== null}
        title={fullTime(at, locale)}
        className="flex min-h-7 items-center gap-1.5 rounded-sm px-2 hover:bg-sunken pointer-coarse:min-h-11"
        onClick={(event) => (event.shiftKey && onCompare ? onCompare() : onShow())}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !event.shiftKey || !onCompare) return
          event.preventDefault()
          onCompare()
        }}
      >
        {letter && <span className="font-semibold text-xs">{letter}</span>}
        <span className="sr-only">{look.label}</span>
        <Status kind={look.kind} size="small" label={clockTime(at, locale)} />
        {cost && <span className="text-soft text-xs">{cost}</span>}
      </button>
      {onCompare && letter === null && (
        <button
          type="button"
          aria-label={`Compare with ${fullTime(at, locale)}`}
          title="Compare"
          className="flex size-7 items-center justify-center rounded-sm text-soft hover:bg-sunken hover:text-ink pointer-coarse:size-11"
          onClick={onCompare}
        >
          <GitCompareArrows size={14} aria-hidden />
        </button>
      )}
    </span>
  )
}
