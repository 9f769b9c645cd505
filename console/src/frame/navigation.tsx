import { Link, useRouterState } from '@tanstack/react-router'
import { BookOpen, PanelLeft } from 'lucide-react'
import { useMay } from '#console/api/session.ts'
import { cx } from '#console/lib/cx.ts'
import { useShortcut } from '#console/lib/use-shortcut.ts'
import { Mark } from '#console/shared/mark.tsx'
import { InboxCount } from './inbox-count.tsx'
import { MoreMenu } from './more-menu.tsx'
import { type Section, sectionOf, sections } from './sections.ts'
import { isCanvas, useSideBar } from './side-bar-state.ts'

/** A side bar in wide windows, only icons in medium ones, a bar at the foot on phones. */
export function Navigation() {
  const pathname = useRouterState({ select: (state) => state.location.pathname })
  const current = sectionOf(pathname)
  const mayEdit = useMay('editor')
  const { chosen, choose } = useSideBar()
  const isNarrow = chosen ?? isCanvas(pathname)
  const toggle = () => choose(!isNarrow)
  useShortcut('h', 'Collapse or expand the side bar', toggle, { group: 'Everywhere' })
  return (
    <nav
      aria-label="Main"
      className={cx(
        'z-20 flex shrink-0 border-line bg-card max-md:fixed max-md:inset-x-0 max-md:bottom-0 max-md:border-t',
        'md:sticky md:top-0 md:h-dvh md:w-14 md:flex-col md:border-r md:p-2',
        !isNarrow && 'lg:w-52 lg:p-3',
      )}
    >
      <Link
        to="/"
        aria-label="Atelier, overview"
        className="flex h-10 items-center gap-2 px-2 font-semibold text-ink text-lg no-underline max-md:hidden"
      >
        <Mark />
        <span className={cx('max-lg:hidden', isNarrow && 'hidden')}>Atelier</span>
      </Link>
      <ul className="flex w-full justify-around md:mt-3 md:flex-col md:gap-0.5">
        {sections
          .filter(({ needs }) => mayEdit || !needs)
          .map((section) => (
            <li
              key={section.to}
              className={cx('max-md:w-1/5', section.isSecond && 'max-md:hidden')}
            >
              <NavigationLink
                section={section}
                isCurrent={section === current}
                isNarrow={isNarrow}
              />
            </li>
          ))}
        <li className="w-1/5 md:hidden">
          <MoreMenu className={itemClass(current?.isSecond ?? false)} />
        </li>
      </ul>
      <div className="mt-auto hidden flex-col gap-0.5 md:flex">
        <a href="/docs" title="API reference" className={itemClass(false)}>
          <BookOpen size={18} className="shrink-0" aria-hidden />
          <span className={labelClass(isNarrow)}>API reference</span>
        </a>
        <button
          type="button"
          onClick={toggle}
          aria-expanded={!isNarrow}
          title="Collapse or expand the side bar (h)"
          className={cx(itemClass(false), 'max-lg:hidden')}
        >
          <PanelLeft size={18} className="shrink-0" aria-hidden />
          <span className={labelClass(isNarrow)}>Collapse</span>
        </button>
      </div>
    </nav>
  )
}

const labelClass = (isNarrow: boolean): string =>
  cx('max-md:text-xs md:max-lg:sr-only', isNarrow && 'lg:sr-only')

const itemClass = (isCurrent: boolean): string =>
  cx(
    'relative flex items-center gap-3 rounded-sm no-underline transition-colors hover:bg-sunken',
    'max-md:h-14 max-md:w-full max-md:flex-col max-md:justify-center max-md:gap-0.5 md:h-9 md:px-2.5',
    isCurrent ? 'font-semibold text-accent md:bg-sunken' : 'text-ink',
  )

type LinkProps = { section: Section; isCurrent: boolean; isNarrow: boolean }

function NavigationLink({ section, isCurrent, isNarrow }: LinkProps) {
  const { to, label, Icon } = section
  return (
    <Link
      to={to}
      title={label}
      aria-current={isCurrent ? 'page' : undefined}
      className={itemClass(isCurrent)}
    >
      <Icon size={18} className="shrink-0" aria-hidden />
      <span className={labelClass(isNarrow)}>{label}</span>
      {to === '/inbox' && <InboxCount isNarrow={isNarrow} />}
    </Link>
  )
}
