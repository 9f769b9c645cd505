import { Pause, Play } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useSessionOf, useShown } from '#console/canvas/context.ts'
import { formatDuration } from '#console/lib/time.ts'
import { IconButton } from '#console/ui/icon-button.tsx'
import { playMs, runAt, type Span, spanOf } from './replay.ts'
import type { ShownRun } from './shown-run.ts'

/** Moves the shown run back in time: its nodes show what they showed then. Space plays it. */
export function ReplaySlider() {
  const shown = useShown(({ run }) => run)
  const whole = useRef<ShownRun | null>(null)
  if (shown && !shown.isReplayed) whole.current = shown
  const span = whole.current && spanOf(whole.current.state)
  if (!shown || !whole.current || !span) return null
  return <Slider key={whole.current.state.run.runId} whole={whole.current} span={span} />
}

function Slider({ whole, span }: { whole: ShownRun; span: Span }) {
  const { shown } = useSessionOf()
  const { fromMs, toMs } = span
  const [atMs, setAt] = useState(toMs)
  const [isPlaying, setPlaying] = useState(false)
  const show = (ms: number) => {
    setAt(ms)
    shown.setState({ run: runAt(whole, ms) })
  }
  const latest = useRef({ atMs, show })
  latest.current = { atMs, show }
  useEffect(() => {
    if (!isPlaying) return
    const pace = (toMs - fromMs) / playMs({ fromMs, toMs })
    let lastMs = performance.now()
    let frame = 0
    const step = (nowMs: number) => {
      const next = Math.min(toMs, latest.current.atMs + (nowMs - lastMs) * pace)
      lastMs = nowMs
      latest.current.show(next)
      if (next < toMs) frame = requestAnimationFrame(step)
      else setPlaying(false)
    }
    frame = requestAnimationFrame(step)
    return () => cancelAnimationFrame(frame)
  }, [isPlaying, fromMs, toMs])
  const toggle = () => {
    if (!isPlaying && atMs >= toMs) show(fromMs)
    setPlaying(!isPlaying)
  }
  return (
    <span className="flex shrink-0 items-center gap-1 max-md:hidden">
      <IconButton
        label={isPlaying ? 'Pause' : 'Replay this run'}
        icon={isPlaying ? <Pause size={14} aria-hidden /> : <Play size={14} aria-hidden />}
        onClick={toggle}
      />
      <input
        type="range"
        aria-label="Moment of the run"
        aria-valuetext={`${formatDuration(atMs - fromMs)} of ${formatDuration(toMs - fromMs)}`}
        min={fromMs}
        max={toMs}
        step={Math.max(1, Math.round((toMs - fromMs) / 200))}
        value={atMs}
        onChange={({ currentTarget }) => {
          setPlaying(false)
          show(currentTarget.valueAsNumber)
        }}
        onKeyDown={(event) => {
          if (event.key !== ' ') return
          event.preventDefault()
          toggle()
        }}
        className="w-28 accent-accent"
      />
      <span className="w-14 text-right text-soft text-xs tabular-nums">
        {formatDuration(atMs - fromMs)}
      </span>
    </span>
  )
}
