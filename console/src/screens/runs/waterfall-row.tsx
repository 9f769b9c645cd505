import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { closedWait, nodeState } from '#console/canvas/run/node-state.ts'
import { cx } from '#console/lib/cx.ts'
import { formatDuration } from '#console/lib/time.ts'
import { delayedLook } from '#console/shared/wait-words.ts'
import { Status, type StatusKind } from '#console/ui/status.tsx'
import type { Bar, Worked } from './bars.ts'
import { useRun, useRunOnView } from './run-context.ts'
import type { Timeline } from './timeline.ts'
import { gridClass, retriedClass, reusedClass } from './waterfall-class.ts'

type WaterfallRowProps = {
  path: string
  label: string
  worked: Worked
  attempts: number
  isReused?: boolean
  depth: number
  timeline: Timeline
  bars: readonly Bar[]
  isOpen: boolean
  /** Null if there is nothing inside. */
  onToggle: (() => void) | null
  children?: ReactNode
}

export function WaterfallRow(props: WaterfallRowProps) {
  const { path, label, worked, attempts, depth, timeline, bars, isOpen, onToggle } = props
  const { selected, select } = useRunOnView()
  const isSelected = selected === path
  const work = bars.find(({ kind }) => kind === 'work')
  const closed = useRun(({ waits }) => closedWait(waits, path))
  const state =
    worked.status === 'RUNNING' && worked.waitReason
      ? delayedLook(worked.waitReason)
      : nodeState(worked, '', closed)
  const lasted = work ? formatDuration(work.toMs - work.fromMs) : ''
  const took = props.isReused ? 'reused' : lasted
  return (
    <li>
      <div
        className={cx(
          gridClass,
          'items-center py-0.5 hover:bg-sunken/50',
          isSelected && 'bg-sunken',
        )}
      >
        <div
          className="flex min-w-0 items-center gap-1"
          style={{ paddingLeft: `${Math.min(depth, 6) * 16}px` }}
        >
          {onToggle ? (
            <button
              type="button"
              aria-expanded={isOpen}
              aria-label={`Inside ${label}`}
              onClick={onToggle}
              className="flex size-6 shrink-0 items-center justify-center rounded-sm text-soft hover:bg-sunken hover:text-ink pointer-coarse:size-11"
            >
              <ChevronRight size={14} aria-hidden className={cx(isOpen && 'rotate-90')} />
            </button>
          ) : (
            <span className="w-6 shrink-0" aria-hidden />
          )}
          <button
            type="button"
            data-row
            aria-current={isSelected || undefined}
            onClick={() => select(path)}
            className="flex min-h-8 min-w-0 grow items-center gap-2 text-left pointer-coarse:min-h-11"
          >
            <StatusIcon kind={state.kind} />
            <span className="truncate">{label}</span>
            <span className="sr-only">
              , {state.label}
              {took && `, ${took}`}
              {attempts > 1 && `, ${attempts} attempts`}
            </span>
          </button>
        </div>
        <Track {...{ bars, timeline }} status={worked.status} isReused={props.isReused} />
        <span className="whitespace-nowrap text-right text-soft text-sm" aria-hidden>
          {attempts > 1 && <span className="text-warn">{attempts}× </span>}
          {took || (worked.status === 'SKIPPED' ? 'skipped' : '')}
        </span>
      </div>
      {props.children}
    </li>
  )
}

/** The status is read out with the row's name, so only the icon is shown here. */
const StatusIcon = ({ kind }: { kind: StatusKind }) => (
  <span aria-hidden className="flex shrink-0">
    <Status kind={kind} label="" />
  </span>
)

type TrackProps = {
  bars: readonly Bar[]
  timeline: Timeline
  status: Worked['status']
  isReused: boolean | undefined
}

function Track({ bars, timeline, status, isReused }: TrackProps) {
  return (
    <div className="relative h-5 max-md:col-span-2 max-md:row-start-2 max-md:h-3" aria-hidden>
      {bars.map((bar, index) => {
        const from = timeline.place(bar.fromMs)
        const width = timeline.place(bar.toMs) - from
        return (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: bars have no names, and keep their order
            key={index}
            title={`${names[bar.kind]} ${formatDuration(bar.toMs - bar.fromMs)}${bar.attempts > 1 ? `, ${bar.attempts} attempts` : ''}`}
            className={cx(
              'absolute min-w-0.5 rounded-sm',
              looks[bar.kind],
              isReused && bar.kind !== 'wait' ? reusedClass : colourOf(bar, status),
            )}
            style={{ left: `${from * 100}%`, width: `${width * 100}%` }}
          />
        )
      })}
    </div>
  )
}

const names = { wait: 'Waited', work: 'Worked', call: 'Call', retry: 'Failed attempt' } as const

const looks = {
  wait: 'top-1/2 h-px bg-control',
  work: 'inset-y-0.5',
  call: 'inset-y-1.5 max-md:inset-y-1',
  retry: 'inset-y-1.5 max-md:inset-y-1',
} as const

function colourOf({ kind, attempts }: Bar, status: Worked['status']): string {
  if (kind === 'wait') return ''
  const isCall = kind === 'call'
  if (kind === 'retry' || (isCall && attempts > 1)) return retriedClass
  if (status === 'FAILED') return isCall ? 'bg-bad' : 'bg-bad/25'
  if (status === 'RUNNING') return isCall ? 'bg-info' : 'bg-info/25'
  if (status === 'CANCELLED') return isCall ? 'bg-control' : 'bg-control/25'
  return isCall ? 'bg-good' : 'bg-good/25'
}
