import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { When } from '#console/ui/when.tsx'

type RowLinkProps = Pick<LinkProps, 'to' | 'params'> & {
  name: string
  at: string
  /** A state or a count, shown before the time. */
  children?: ReactNode
}

/** A line of a short list: name, state, time. */
export function RowLink({ to, params, name, at, children }: RowLinkProps) {
  return (
    <li className="border-line border-b last:border-b-0">
      <Link
        {...{ to, params }}
        className="-mx-2 flex min-h-10 flex-wrap items-center gap-x-3 rounded-sm px-2 py-1.5 text-ink no-underline hover:bg-sunken"
      >
        <span className="min-w-0 grow basis-40 truncate">{name}</span>
        {children}
        <span className="text-soft text-sm">
          <When at={at} />
        </span>
      </Link>
    </li>
  )
}
