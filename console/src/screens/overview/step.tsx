import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '#console/lib/cx.ts'

type StepProps = {
  number: number
  title: string
  isDone: boolean
  /** Shows only its title: it was done on an earlier visit. */
  isFolded: boolean
  children: ReactNode
}

export type FirstStepProps = Pick<StepProps, 'isDone' | 'isFolded'> & {
  /** Whether its button stands out. */
  isNext: boolean
}

/** One of the first steps; it is marked as done by itself. */
export function Step({ number, title, isDone, isFolded, children }: StepProps) {
  return (
    <li className="flex gap-4 border-line border-b px-5 py-5 last:border-b-0">
      <span
        aria-hidden
        className={cx(
          'flex size-7 shrink-0 items-center justify-center rounded-full border font-semibold text-sm',
          isDone ? 'border-transparent bg-good text-card' : 'border-control text-soft',
        )}
      >
        {isDone ? <Check size={16} /> : number}
      </span>
      <div className="flex min-w-0 grow flex-col gap-3">
        <h3 className="flex min-h-7 items-center gap-2 font-semibold text-lg">
          {title}
          {isDone && <span className="font-normal text-good text-sm">Done</span>}
        </h3>
        {!isFolded && children}
      </div>
    </li>
  )
}
