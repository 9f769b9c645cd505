import type { ReactNode } from 'react'
import { cx } from '#console/lib/cx.ts'

type EmptyProps = {
  /** A 24 px icon. */
  icon?: ReactNode
  title: string
  /** What this is, and why there is none yet. */
  children?: ReactNode
  /** One button. */
  action?: ReactNode
  /** Inside a card, which already has a border. */
  inset?: boolean
}

export function Empty({ icon, title, children, action, inset = false }: EmptyProps) {
  return (
    <div
      className={cx(
        'flex flex-col items-center gap-3 px-6 py-12 text-center',
        !inset && 'rounded-md border border-line border-dashed',
      )}
    >
      {icon && <span className="text-soft">{icon}</span>}
      <h2 className="font-semibold text-lg">{title}</h2>
      {children && <div className="max-w-form text-soft">{children}</div>}
      {action && <div className="mt-2">{action}</div>}
    </div>
  )
}
