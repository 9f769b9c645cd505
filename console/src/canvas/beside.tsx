import type { ReactNode, Ref } from 'react'
import { cx } from '#console/lib/cx.ts'

type BesideProps = {
  ref: Ref<HTMLElement>
  label: string
  /** Escape leads back to the graph. */
  onLeave(): void
  className: string
  children: ReactNode
}

/** A column beside the graph, which makes room for it; on a phone the whole screen. */
export const Beside = ({ ref, label, onLeave, className, children }: BesideProps) => (
  <aside
    ref={ref}
    aria-label={label}
    className={cx(
      'flex max-w-full shrink-0 flex-col overflow-y-auto border-line border-l bg-card max-md:w-full max-md:border-l-0',
      className,
    )}
    onKeyDown={(event) => {
      if (event.key === 'Escape' && !event.defaultPrevented) onLeave()
    }}
  >
    {children}
  </aside>
)
