import {
  Ban,
  Circle,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleSlash,
  CircleX,
  Hand,
  LoaderCircle,
  type LucideIcon,
  Recycle,
  TriangleAlert,
} from 'lucide-react'
import { cx } from '#console/lib/cx.ts'

export type StatusKind =
  | 'waiting'
  | 'running'
  | 'stopping'
  | 'good'
  | 'bad'
  | 'cancelled'
  | 'skipped'
  | 'warn'
  | 'asked'
  | 'rejected'
  | 'reused'
  | 'reusable'

const looks: Record<StatusKind, { Icon: LucideIcon; colour: string; spins?: true }> = {
  waiting: { Icon: CircleDashed, colour: 'text-soft' },
  running: { Icon: LoaderCircle, colour: 'text-info', spins: true },
  stopping: { Icon: CircleSlash, colour: 'text-warn' },
  good: { Icon: CircleCheck, colour: 'text-good' },
  bad: { Icon: CircleAlert, colour: 'text-bad' },
  cancelled: { Icon: Ban, colour: 'text-soft' },
  skipped: { Icon: Circle, colour: 'text-soft' },
  warn: { Icon: TriangleAlert, colour: 'text-warn' },
  asked: { Icon: Hand, colour: 'text-warn' },
  rejected: { Icon: CircleX, colour: 'text-warn' },
  reused: { Icon: Recycle, colour: 'text-good' },
  reusable: { Icon: Recycle, colour: 'text-info' },
}

type StatusProps = {
  kind: StatusKind
  label: string
  /** Small: in the foot of a card, cut where it ends. */
  size?: 'small' | 'medium'
}

/** A state has an icon, a word and a colour; never a colour alone. */
export function Status({ kind, label, size = 'medium' }: StatusProps) {
  const { Icon, colour, spins } = looks[kind]
  return (
    <span
      className={cx(
        'inline-flex min-w-0 items-center gap-1.5 whitespace-nowrap',
        size === 'small' ? 'text-xs' : 'text-sm',
        colour,
      )}
    >
      <Icon size={14} className={cx('shrink-0', spins && 'animate-spin')} aria-hidden />
      {size === 'small' ? <span className="truncate">{label}</span> : label}
    </span>
  )
}
