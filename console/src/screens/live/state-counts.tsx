import { Link } from '@tanstack/react-router'
import { CirclePlay, Clock, Hand, type LucideIcon, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Live } from '#console/api/types.ts'
import { counted } from '#console/lib/counted.ts'
import { locale } from '#console/lib/locale.ts'
import { When } from '#console/ui/when.tsx'
import { atLeast, countsOf, oldestQueued } from './live-words.ts'

/** The four numbers that say whether all is well. */
export function StateCounts({ live }: { live: Live }) {
  const counts = countsOf(live)
  const oldest = oldestQueued(live)
  const shown = (count: number) => atLeast(count, live.counted, locale)
  const { runs, tasks, deliveries } = live
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Tile name="Running" Icon={CirclePlay} value={shown(counts.running)}>
        {counts.running > 0 &&
          `${counted(runs.running, 'run')}, ${counted(tasks.running, 'image or video', 'images or videos')}`}
      </Tile>
      <Tile name="Queued" Icon={Clock} value={shown(counts.queued)}>
        {oldest && (
          <>
            Oldest <When at={oldest} />
          </>
        )}
      </Tile>
      <Tile name="Waiting" Icon={Hand} value={shown(counts.waiting)}>
        {counts.waiting > 0 && (
          <>
            For a time, an answer, a message or a provider.{' '}
            <Link to="/inbox" className="text-accent underline">
              Inbox
            </Link>
          </>
        )}
      </Tile>
      <Tile name="Retrying" Icon={RotateCw} value={shown(counts.retrying)}>
        {deliveries.nextAt ? (
          <>
            <Link to="/developer/webhooks" className="text-accent underline">
              {counted(deliveries.retrying, 'webhook')}
            </Link>
            , next <When at={deliveries.nextAt} />
          </>
        ) : (
          counts.retrying > 0 && counted(runs.retrying, 'run')
        )}
      </Tile>
    </dl>
  )
}

type TileProps = { name: string; Icon: LucideIcon; value: string; children: ReactNode }

function Tile({ name, Icon, value, children }: TileProps) {
  return (
    <div className="flex min-h-24 flex-col rounded-md border border-line bg-card px-4 py-3">
      <dt className="flex items-center gap-2 text-soft text-sm">
        <Icon size={14} aria-hidden />
        {name}
      </dt>
      <dd className="font-semibold text-2xl tabular-nums">{value}</dd>
      <dd className="text-soft text-sm">{children}</dd>
    </div>
  )
}
