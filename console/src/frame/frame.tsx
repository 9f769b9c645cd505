import { Outlet } from '@tanstack/react-router'
import { useAnnouncement } from '#console/lib/announce.ts'
import { ToastRegion } from '#console/ui/toast-region.tsx'
import { ConnectionNote } from './connection-note.tsx'
import { Navigation } from './navigation.tsx'
import { SignInOver } from './sign-in-over.tsx'
import { TopLine } from './top-line.tsx'

/** Side bar, top line, the screen, and what belongs to all screens. */
export function Frame() {
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
        <main id="main" tabIndex={-1} className="flex min-w-0 grow flex-col">
          <Outlet />
        </main>
      </div>
      <div role="status" aria-live="polite" className="sr-only">
        {announcement}
      </div>
      <SignInOver />
      <ToastRegion />
    </div>
  )
}
