import type { ReactNode } from 'react'
import { cx } from '#console/lib/cx.ts'

type BadgeProps = { children: ReactNode; tone?: 'plain' | 'accent' | 'good' | 'warn' | 'bad' }

const tones = {
  plain: 'border-line text-soft',
  accent: 'border-accent/50 text-accent',
  good: 'border-good/50 text-good',
  warn: 'border-warn/50 text-warn',
  bad: 'border-bad/50 text-bad',
}

/** A short fact beside a name. */
export function Badge({ children, tone = 'plain' }: BadgeProps) {
  return (
    <span
      className={cx(
        'inline-flex items-center whitespace-nowrap rounded-sm border bg-card px-1.5 text-xs leading-5',
        tones[tone],
      )}
    >
      {children}
    </span>
  )
}
