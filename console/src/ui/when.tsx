import { locale } from '#console/lib/locale.ts'
import { fullTime, relativeTime } from '#console/lib/time.ts'
import { useNow } from '#console/lib/use-now.ts'

type WhenProps = {
  /** RFC 3339, or absent. */
  at: string | null | undefined
  /** Shown if there is no time. */
  none?: string
}

/** "3 minutes ago", with the full time as its title. */
export function When({ at, none = '–' }: WhenProps) {
  const now = useNow(30_000)
  const atMs = at ? Date.parse(at) : Number.NaN
  if (!at || Number.isNaN(atMs)) return <span className="text-soft">{none}</span>
  return (
    <time dateTime={at} title={fullTime(atMs, locale)} className="whitespace-nowrap">
      {relativeTime(atMs, now, locale)}
    </time>
  )
}
