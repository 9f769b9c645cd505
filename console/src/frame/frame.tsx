import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useEndedSession } from '#console/api/ended-session.ts'
import { useAnnouncement } from '#console/lib/announce.ts'
import { useTour } from '#console/shared/tour.ts'
import { useWaitingToasts } from '#console/ui/toasts.ts'
import { ConnectionNote } from './connection-note.tsx'
import { FailedSignInsNote } from './failed-sign-ins-note.tsx'
import { Navigation } from './navigation.tsx'
import { TopLine } from './top-line.tsx'

// Loaded only when a session ends, a toast appears or somebody takes the tour.
const ToastRegion = lazy(async () => ({
  default: (await import('#console/ui/toast-region.tsx')).ToastRegion,
}))
const TourCard = lazy(async () => ({ default: (await import('./tour-card.tsx')).TourCard }))
const SignInOver = lazy(async () => ({ default: (await import('./sign-in-over.tsx')).SignInOver }))

/** Side bar, top line, the screen, and what all screens share. */
export function Frame() {
  const hasEnded = useEndedSession((state) => state.isOpen)
  const hasToasts = useWaitingToasts((state) => state.wasUsed)
  const [tour] = useTour()
  const announcement = useAnnouncement((state) => state.text)
  return (
    <div className="flex min-h-dvh flex-col md:flex-row">
      <a
        href="#main"
        className="absolute top-2 left-2 z-50 -translate-y-20 rounded-sm bg-accent px-4 py-2 text-on-accent focus:translate-y-0"
      >
        Skip to the content
      </a>
      <Navigation />
      <div className="flex min-w-0 grow flex-col pb-16 md:pb-0">
        <TopLine />
        <ConnectionNote />
        <FailedSignInsNote />
        <main id="main" tabIndex={-1} className="flex min-w-0 grow flex-col">
          <Outlet />
        </main>
      </div>
      <div role="status" aria-live="polite" className="sr-only">
        {announcement}
      </div>
      <Suspense>{hasEnded && <SignInOver />}</Suspense>
      <Suspense>
        {tour.isOpen && tour.workflowId !== null && <TourCard workflowId={tour.workflowId} />}
      </Suspense>
      <Suspense>{hasToasts && <ToastRegion />}</Suspense>
    </div>
  )
}
