import { ChevronDown, ChevronUp } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useGraph, useView } from './context.ts'
import type { ProblemsPanelProps } from './problems-panel.tsx'

const ProblemsPanel = lazy(async () => ({
  default: (await import('./problems-panel.tsx')).ProblemsPanel,
}))

type ProblemsDrawerProps = ProblemsPanelProps & { isOpen: boolean; onToggle(): void }

export function ProblemsDrawer({ isOpen, onToggle, ...list }: ProblemsDrawerProps) {
  const problems = useView((state) => state.problems)
  const isEmpty = useGraph().nodes.length === 0 && problems.length === 0
  const errors = problems.filter((problem) => problem.level === 'error').length
  const Icon = isOpen ? ChevronDown : ChevronUp
  const warnings = problems.length - errors
  const text = [
    errors > 0 && `${errors} ${errors === 1 ? 'problem' : 'problems'}`,
    warnings > 0 && `${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`,
  ].filter(Boolean)
  return (
    <section aria-label="Problems" className="border-line border-t bg-card">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex min-h-8 w-full items-center gap-2 px-4 text-left text-sm hover:bg-sunken"
      >
        <Icon size={14} aria-hidden />
        <span className={isEmpty ? 'text-soft' : colourOf(errors, warnings)}>
          {isEmpty ? 'Nothing to check yet' : text.join(', ') || 'No problems'}
        </span>
      </button>
      <Suspense>{isOpen && <ProblemsPanel {...list} />}</Suspense>
    </section>
  )
}

const colourOf = (errors: number, warnings: number): string =>
  errors > 0 ? 'text-bad' : warnings > 0 ? 'text-warn' : 'text-good'
