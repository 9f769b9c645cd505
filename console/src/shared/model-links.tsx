import { LinkTabs } from '#console/ui/link-tabs.tsx'

const links = [
  { to: '/models', label: 'Models', isExact: true },
  { to: '/models/routes', label: 'Routes' },
] as const

export function ModelLinks() {
  return <LinkTabs aria-label="Models" links={links} />
}
