import { LinkTabs } from '#console/ui/link-tabs.tsx'

const links = [
  { to: '/usage', label: 'Usage', isExact: true },
  { to: '/usage/budgets', label: 'Budgets' },
] as const

export function UsageLinks() {
  return <LinkTabs aria-label="Usage" links={links} />
}
