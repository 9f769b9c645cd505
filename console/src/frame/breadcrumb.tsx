import { Link, useRouterState } from '@tanstack/react-router'
import { useBreadcrumb } from '#console/lib/breadcrumb.ts'
import { sectionOf } from './sections.ts'

/** The current location: the section, then what the screen adds. */
export function Breadcrumb() {
  const pathname = useRouterState({ select: (state) => state.location.pathname })
  const trail = useBreadcrumb((state) => state.trail)
  const section = sectionOf(pathname)
  const first = section?.label ?? (pathname.startsWith('/settings') ? 'Settings' : 'Atelier')
  return (
    <nav aria-label="Breadcrumb" className="min-w-0">
      <ol className="flex min-w-0 items-center gap-2 text-sm">
        <li className="shrink-0">
          {section && trail.length > 0 ? (
            <Link to={section.to} className="text-soft hover:text-ink">
              {first}
            </Link>
          ) : (
            <span className="text-soft">{first}</span>
          )}
        </li>
        {trail.map((name) => (
          <li key={name} className="flex min-w-0 items-center gap-2">
            <span className="text-soft" aria-hidden>
              /
            </span>
            <span className="truncate">{name}</span>
          </li>
        ))}
      </ol>
    </nav>
  )
}
