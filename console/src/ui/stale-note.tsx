import { locale } from '#console/lib/locale.ts'
import { clockTime } from '#console/lib/time.ts'
import { Banner } from './banner.tsx'
import { Button } from './button.tsx'

type StaleNoteProps = { sinceMs: number; reason: string; onRetry?: () => void }

/** Says that the data on screen is old: since when, and why. */
export function StaleNote({ sinceMs, reason, onRetry }: StaleNoteProps) {
  return (
    <Banner
      tone="warn"
      role="status"
      title={`As of ${clockTime(sinceMs, locale)}`}
      actions={
        onRetry && (
          <Button size="small" onClick={onRetry}>
            Try now
          </Button>
        )
      }
    >
      {reason}
    </Banner>
  )
}
