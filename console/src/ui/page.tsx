import type { ReactNode } from 'react'
import { cx } from '#console/lib/cx.ts'
import { usePageHeading } from './use-page-heading.ts'

type PageProps = {
  title: string
  /** Content of the h1 instead of the bare title, if that can be edited or carries a state. */
  heading?: ReactNode
  /** One sentence under the title. */
  lead?: ReactNode
  actions?: ReactNode
  children: ReactNode
  /** `read` for forms and prose, `page` for tables, `full` where the screen fills the window. */
  width?: 'read' | 'page' | 'full'
}

/** A screen: one h1 that takes the focus on navigation, its actions, its content. */
export function Page({ title, heading, lead, actions, children, width = 'page' }: PageProps) {
  const h1 = usePageHeading(title)
  return (
    <div
      className={cx(
        // In very wide windows the page is centred.
        'flex w-full flex-col gap-6 px-4 py-6 md:px-8 min-[1800px]:mx-auto',
        width === 'read' && 'max-w-read',
        width === 'page' && 'max-w-page',
      )}
    >
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h1
            ref={h1}
            tabIndex={-1}
            className="font-semibold text-xl [overflow-wrap:anywhere] md:text-2xl"
          >
            {heading ?? title}
          </h1>
          {lead && <p className="mt-1 max-w-read text-soft">{lead}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  )
}
