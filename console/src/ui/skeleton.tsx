import { cx } from '#console/lib/cx.ts'

/** A grey shape as large as the content to come: `<Skeleton className="h-5 w-40" />`. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={cx('block animate-pulse rounded-sm bg-sunken', className)} />
}
