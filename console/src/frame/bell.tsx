import { Bell as BellIcon } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { cx } from '#console/lib/cx.ts'
import { useNotices } from './use-notices.ts'

// The popover is loaded when it is first opened; until then a button is all there is.
const NoticesPopover = lazy(async () => ({
  default: (await import('./notices-popover.tsx')).NoticesPopover,
}))

/** Notices, and how many of them are unread. */
export function Bell() {
  const [wasOpened, setOpened] = useState(false)
  const unread = useNotices().data?.unread ?? 0
  const button = (
    <button
      type="button"
      aria-label={unread === 0 ? 'Notices' : `Notices, ${unread} unread`}
      className="relative flex size-8 shrink-0 items-center justify-center rounded-full border border-line bg-card text-soft transition-colors hover:border-control hover:text-ink pointer-coarse:size-11"
      {...(wasOpened ? {} : { onClick: () => setOpened(true) })}
    >
      <BellIcon size={16} aria-hidden />
      {unread > 0 && (
        <span
          aria-hidden
          className={cx(
            '-top-1.5 -right-1.5 absolute min-w-5 rounded-full bg-accent px-1 text-center',
            'font-semibold text-on-accent text-xs',
          )}
        >
          {unread > 99 ? '99+' : unread}
        </span>
      )}
    </button>
  )
  if (!wasOpened) return button
  return (
    <Suspense fallback={button}>
      <NoticesPopover trigger={button} />
    </Suspense>
  )
}
