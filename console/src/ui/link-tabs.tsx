import { Link, type LinkProps } from '@tanstack/react-router'

type LinkTabsProps = {
  'aria-label': string
  /** `isExact`: not marked at the addresses below it. */
  links: readonly { to: LinkProps['to']; label: string; isExact?: boolean }[]
}

/** Tabs of screens that belong together; each has its own address. */
export function LinkTabs({ links, ...rest }: LinkTabsProps) {
  return (
    <nav
      aria-label={rest['aria-label']}
      className="flex flex-wrap gap-x-4 border-line border-b px-4 md:px-8"
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
