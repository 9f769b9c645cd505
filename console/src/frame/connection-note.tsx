import { WifiOff } from 'lucide-react'
import { useConnection } from '#console/api/connection.ts'
import { locale } from '#console/lib/locale.ts'
import { clockTime } from '#console/lib/time.ts'

/** Says once for the whole page that it is offline: the data stays readable, changes wait. */
export function ConnectionNote() {
  const lostAtMs = useConnection((state) => state.lostAtMs)
  if (lostAtMs === null) return null
  return (
    <div
      role="status"
      className="flex items-center gap-2 border-warn/40 border-b bg-warn/10 px-4 py-2 text-sm md:px-8"
    >
      <WifiOff size={16} className="shrink-0 text-warn" aria-hidden />
      <span>
        The server has been unreachable since {clockTime(lostAtMs, locale)}. Data may be out of
        date; changes wait until it is back.
      </span>
    </div>
  )
}
