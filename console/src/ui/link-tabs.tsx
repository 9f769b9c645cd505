import { Link, type LinkProps } from '@tanstack/react-router'
import { cx } from '#console/lib/cx.ts'

type LinkTabsProps = {
  'aria-label': string
  /** `isExact`: not marked at the addresses below it. */
  links: readonly { to: LinkProps['to']; label: string; isExact?: boolean }[]
}

/** In very wide windows they begin where the centred page does. */
const edges = 'px-4 md:px-8 min-[1800px]:px-[max(2rem,calc(50%-58rem))]'

/** Tabs of screens that belong together; each has its own address. */
export function LinkTabs({ links, ...rest }: LinkTabsProps) {
  return (
    <nav
      aria-label={rest['aria-label']}
      className={cx('flex flex-wrap gap-x-4 border-line border-b', edges)}
    >
      {links.map(({ to, label, isExact = false }) => (
        <Link
          key={label}
          to={to}
          activeOptions={{ includeSearch: false, exact: isExact }}
          className="-mb-px flex min-h-10 shrink-0 items-center border-transparent border-b-2 text-soft no-underline transition-colors hover:text-ink aria-[current]:border-accent aria-[current]:font-semibold aria-[current]:text-ink pointer-coarse:min-h-11"
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}
