import { LinkTabs } from '#console/ui/link-tabs.tsx'

const links = [
  { to: '/runs', label: 'Runs', isExact: true },
  { to: '/runs/live', label: 'Live' },
] as const

export function RunLinks() {
  return <LinkTabs aria-label="Runs" links={links} />
}
