import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Button } from './button.tsx'

type PagerProps = {
  /** "1–50 of 320", or as much as is known. */
  summary: string
  onPrevious?: (() => void) | undefined
  onNext?: (() => void) | undefined
  /** "Newest" if a cursor leads only onwards or back to the beginning. */
  previousLabel?: string
  nextLabel?: string
}

/** Back and forward; without its handler a button is disabled. For page numbers and cursors. */
export function Pager(props: PagerProps) {
  const { summary, onPrevious, onNext, previousLabel = 'Newer', nextLabel = 'Older' } = props
  return (
    <nav aria-label="Pages" className="flex items-center justify-between gap-4 py-2">
      <p className="text-soft text-sm" aria-live="polite">
        {summary}
      </p>
      <div className="flex gap-2">
        <Button
          size="small"
          disabled={!onPrevious}
          onClick={onPrevious}
          icon={<ChevronLeft size={16} aria-hidden />}
        >
          {previousLabel}
        </Button>
        <Button size="small" disabled={!onNext} onClick={onNext}>
          {nextLabel} <ChevronRight size={16} aria-hidden />
        </Button>
      </div>
    </nav>
  )
}
