import { cx } from '#console/lib/cx.ts'
import { useInbox } from '#console/shared/use-inbox.ts'

/** How many waits a person may answer, beside the name of the section. Nothing if there are none. */
export function InboxCount({ isNarrow }: { isNarrow: boolean }) {
  const { data } = useInbox({ mine: true, size: 1 })
  const count = data?.count ?? 0
  if (count === 0) return null
  return (
    <span
      className={cx(
        'min-w-5 rounded-full bg-accent px-1.5 text-center font-semibold text-on-accent text-xs',
        'max-lg:absolute max-lg:top-0.5 max-md:left-1/2 max-md:ml-1 md:max-lg:-top-1.5 md:max-lg:left-5',
        isNarrow ? 'lg:absolute lg:-top-1.5 lg:left-5' : 'lg:ml-auto',
      )}
    >
      {count > 99 ? '99+' : count}
      <span className="sr-only"> waiting</span>
    </span>
  )
}
