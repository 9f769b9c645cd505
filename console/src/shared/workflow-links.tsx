import { LinkTabs } from '#console/ui/link-tabs.tsx'

const links = [
  { to: '/workflows', label: 'Workflows', isExact: true },
  { to: '/workflows/triggers', label: 'Triggers' },
] as const

export function WorkflowLinks() {
  return <LinkTabs aria-label="Workflows" links={links} />
}
