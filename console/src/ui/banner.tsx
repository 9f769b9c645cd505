import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '#console/lib/cx.ts'

export type Tone = 'info' | 'good' | 'warn' | 'bad'

const looks = {
  info: { Icon: Info, className: 'border-info/40 bg-info/6', icon: 'text-info' },
  good: { Icon: CircleCheck, className: 'border-good/40 bg-good/6', icon: 'text-good' },
  warn: { Icon: TriangleAlert, className: 'border-warn/40 bg-warn/6', icon: 'text-warn' },
  bad: { Icon: CircleAlert, className: 'border-bad/40 bg-bad/6', icon: 'text-bad' },
}

type BannerProps = {
  tone: Tone
  title?: ReactNode
  children?: ReactNode
  actions?: ReactNode
  role?: 'alert' | 'status'
}

export function Banner({ tone, title, children, actions, role }: BannerProps) {
  const { Icon, className, icon } = looks[tone]
  return (
    <div role={role} className={cx('flex gap-3 rounded-md border px-4 py-3', className)}>
      <Icon size={18} className={cx('mt-0.5 shrink-0', icon)} aria-hidden />
      <div className="flex min-w-0 grow flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 [overflow-wrap:anywhere]">
          {title && <p className="font-semibold">{title}</p>}
          {children && <div className="text-sm">{children}</div>}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
    </div>
  )
}
