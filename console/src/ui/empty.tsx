import type { ReactNode } from 'react'

type EmptyProps = {
  /** An icon of 24 px. */
  icon?: ReactNode
  title: string
  /** What this is and why there is none. */
  children?: ReactNode
  /** One button. */
  action?: ReactNode
}

export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div className="flex flex-col items-center gap-3 rounded-md border border-line border-dashed px-6 py-12 text-center">
      {icon && <span className="text-soft">{icon}</span>}
      <h2 className="font-semibold text-lg">{title}</h2>
      {children && <div className="max-w-form text-soft">{children}</div>}
      {action && <div className="mt-2">{action}</div>}
    </div>
  )
}
