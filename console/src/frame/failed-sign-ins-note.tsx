import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { useSession } from '#console/api/session.ts'
import { counted } from '#console/lib/counted.ts'
import { locale } from '#console/lib/locale.ts'
import { fullTime } from '#console/lib/time.ts'
import { Button } from '#console/ui/button.tsx'

const readKey = 'atelier:failed-sign-ins-read'

function storedRead(): string | null {
  try {
    return localStorage.getItem(readKey)
  } catch {
    return null
  }
}

/** Tells a person, once per session, that somebody tried to sign in as them. */
export function FailedSignInsNote() {
  const failed = useSession().data?.session?.failedSignIns ?? null
  const [readAt, setReadAt] = useState(storedRead)
  if (failed === null || failed.lastAt === readAt) return null
  const dismiss = () => {
    try {
      localStorage.setItem(readKey, failed.lastAt)
    } catch {
      // Without storage it is shown again when the page is reloaded.
    }
    setReadAt(failed.lastAt)
  }
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 border-warn/40 border-b bg-warn/10 px-4 py-2 text-sm md:px-8"
    >
      <TriangleAlert size={16} className="shrink-0 text-warn" aria-hidden />
      <span className="min-w-0 flex-1 basis-64">
        Before you signed in, {counted(failed.count, 'attempt')} to sign in as you failed, the last
        on {fullTime(Date.parse(failed.lastAt), locale)}
        {failed.ipAddress && ` from ${failed.ipAddress}`}. If that was not you,{' '}
        <Link to="/settings/account" className="underline">
          change your password
        </Link>
        .
      </span>
      <Button onClick={dismiss}>Dismiss</Button>
    </div>
  )
}
