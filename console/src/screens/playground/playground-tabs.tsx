import { Link } from '@tanstack/react-router'

export const playgroundTabs = [
  { to: '/playground/chat', label: 'Chat' },
  { to: '/playground/image', label: 'Image' },
  { to: '/playground/video', label: 'Video' },
] as const

/** In the header of the chat. Each has its own address, so these are links rather than tabs. */
export const PlaygroundTabs = () => (
  <nav aria-label="Playground" className="flex gap-4 border-line border-b">
    {playgroundTabs.map(({ to, label }) => (
      <Link
        key={to}
        to={to}
        className="-mb-px flex min-h-9 items-center border-b-2 no-underline hover:text-ink pointer-coarse:min-h-11"
        activeProps={{ className: 'border-accent font-semibold text-ink' }}
        inactiveProps={{ className: 'border-transparent text-soft' }}
      >
        {label}
      </Link>
    ))}
  </nav>
)
