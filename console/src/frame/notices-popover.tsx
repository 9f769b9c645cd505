import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CalendarClock, Gauge, KeyRound, type LucideIcon, MapPin, Sunset } from 'lucide-react'
import { type ReactElement, useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import type { Notice } from '#console/api/types.ts'
import { cx } from '#console/lib/cx.ts'
import { useInbox } from '#console/shared/use-inbox.ts'
import { Button } from '#console/ui/button.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Popover } from '#console/ui/popover.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { When } from '#console/ui/when.tsx'
import { noticeWords } from './notice-words.ts'
import { noticesKey, useNotices } from './use-notices.ts'

export function NoticesPopover({ trigger }: { trigger: ReactElement }) {
  const [isOpen, setOpen] = useState(true)
  const client = useQueryClient()
  const query = useNotices()
  const read = useMutation({
    mutationFn: (ids: string[]) => consoleCall('POST /notices/read', { body: { ids } }),
    onSuccess: (notices) => client.setQueryData(noticesKey, notices),
  })
  const unread = query.data?.items.filter(({ isRead }) => !isRead) ?? []
  return (
    <Popover trigger={trigger} title="Notices" align="end" open={isOpen} onOpenChange={setOpen}>
      <div className="flex w-96 max-w-full flex-col gap-3">
        <Waiting onLeave={() => setOpen(false)} />
        <Loadable
          query={query}
          skeleton={<SkeletonRows rows={2} />}
          isEmpty={({ items }) => items.length === 0}
          empty={<p className="text-soft">No notices.</p>}
        >
          {({ items }) => (
            <ul className="-mx-4 max-h-[60dvh] overflow-y-auto">
              {items.map((notice) => (
                <NoticeRow
                  key={notice.noticeId}
                  notice={notice}
                  onOpen={() => {
                    if (!notice.isRead) read.mutate([notice.noticeId])
                    setOpen(false)
                  }}
                />
              ))}
            </ul>
          )}
        </Loadable>
        {read.error && <Failure failure={toApiFailure(read.error)} />}
        {unread.length > 0 && (
          <Button
            size="small"
            className="self-start"
            busy={read.isPending}
            onClick={() => read.mutate(unread.map(({ noticeId }) => noticeId))}
          >
            Mark all as read
          </Button>
        )}
      </div>
    </Popover>
  )
}

/** The inbox has its own list; here is only how much is in it. */
function Waiting({ onLeave }: { onLeave(): void }) {
  const count = useInbox({ mine: true, size: 1 }).data?.count ?? 0
  if (count === 0) return null
  return (
    <p>
      <Link to="/inbox" onClick={onLeave} className="text-accent underline">
        {count === 1 ? '1 waits for you' : `${count} wait for you`}
      </Link>
    </p>
  )
}

const icons: Record<Notice['kind'], LucideIcon> = {
  limit: Gauge,
  budget: Gauge,
  'trigger-paused': CalendarClock,
  'model-retiring': Sunset,
  'key-refused': KeyRound,
  'sign-in': MapPin,
}

function NoticeRow({ notice, onOpen }: { notice: Notice; onOpen(): void }) {
  const Icon = icons[notice.kind]
  const { title, text } = noticeWords(notice)
  return (
    <li className={cx('border-line border-t first:border-t-0', !notice.isRead && 'bg-sunken/60')}>
      <Link
        {...targetOf(notice)}
        onClick={onOpen}
        className="flex gap-3 px-4 py-3 text-ink no-underline hover:bg-sunken"
      >
        <Icon size={16} className="mt-0.5 shrink-0 text-warn" aria-hidden />
        <span className="flex min-w-0 flex-col gap-0.5">
          <span className={cx('[overflow-wrap:anywhere]', !notice.isRead && 'font-semibold')}>
            {!notice.isRead && <span className="sr-only">Unread: </span>}
            {title}
          </span>
          <span className="line-clamp-2 text-soft text-sm">{text}</span>
          <span className="text-soft text-xs">
            <When at={notice.at} />
          </span>
        </span>
      </Link>
    </li>
  )
}

/** Where something can be done about it. */
function targetOf(notice: Notice) {
  if (notice.kind === 'budget') return { to: '/usage/budgets' } as const
  if (notice.kind === 'limit')
    return notice.subjectId === null
      ? ({ to: '/settings/account' } as const)
      : ({ to: '/developer/keys' } as const)
  if (notice.kind === 'trigger-paused')
    return {
      to: '/workflows/triggers',
      search: notice.workflowId === undefined ? {} : { workflow: String(notice.workflowId) },
    } as const
  if (notice.kind === 'model-retiring')
    return { to: '/models', search: { q: notice.subjectId ?? '' } } as const
  if (notice.kind === 'key-refused') return { to: '/models' } as const
  return { to: '/settings/account' } as const
}
