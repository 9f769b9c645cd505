import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from './icon-button.tsx'

type BesidePanelProps = { title: string; onClose(): void; children: ReactNode }

/** Pushes what is left of it aside; on a phone it takes the whole width. */
export function BesidePanel({ title, onClose, children }: BesidePanelProps) {
  return (
    <aside
      aria-label={title}
      className="flex w-96 max-w-full shrink-0 flex-col overflow-y-auto border-line border-l bg-card max-md:w-full"
    >
      <header className="flex items-center justify-between px-4 py-3">
        <h2 className="font-semibold text-lg">{title}</h2>
        <IconButton
          label={`Close ${title.toLowerCase()}`}
          icon={<X size={16} aria-hidden />}
          onClick={onClose}
        />
      </header>
      {children}
    </aside>
  )
}
