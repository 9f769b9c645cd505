import type { ReactNode } from 'react'
import { cx } from '#console/lib/cx.ts'

type CardProps = {
  title?: ReactNode
  /** Beside the title. */
  actions?: ReactNode
  children: ReactNode
  /** Without padding, for tables and media that reach the edge. */
  flush?: boolean
  className?: string
}

export function Card({ title, actions, children, flush = false, className }: CardProps) {
  return (
    <section
      className={cx('min-w-0 overflow-hidden rounded-md border border-line bg-card', className)}
    >
      {(title || actions) && (
        <div className="flex flex-wrap items-center justify-between gap-2 px-5 pt-3 pb-1.5 [&>h2]:min-h-9 [&>h2]:content-center">
          <h2 className="font-semibold text-lg">{title}</h2>
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
      )}
      <div className={cx(!flush && 'px-5 pb-5', !flush && !title && !actions && 'pt-5')}>
        {children}
      </div>
    </section>
  )
}
