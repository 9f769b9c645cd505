import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'

type FoldProps = { label: string; isOpen: boolean; children: ReactNode }

/** What most people leave as it is, below a line that opens it. */
export function Fold({ label, isOpen, children }: FoldProps) {
  return (
    <details className="group" open={isOpen || undefined}>
      <summary className="inline-flex min-h-8 list-none items-center gap-1 rounded-sm text-soft text-sm hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight size={14} aria-hidden className="group-open:rotate-90" />
        {label}
      </summary>
      <div className="flex flex-col gap-4 pt-3">{children}</div>
    </details>
  )
}
