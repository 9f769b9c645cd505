import { type ReactNode, useEffect } from 'react'
import { Mark } from './mark.tsx'

/** A page outside the frame: signing in, joining, a new password. */
export function Entrance({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Atelier`
  }, [title])
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <div className="flex w-full max-w-form flex-col gap-6">
        <div className="flex items-center gap-3">
          <Mark size={32} />
          <h1 className="font-semibold text-2xl [overflow-wrap:anywhere]">{title}</h1>
        </div>
        {children}
      </div>
    </main>
  )
}
