import { LinkTabs } from '#console/ui/link-tabs.tsx'

const links = [
  { to: '/settings/account', label: 'Account' },
  { to: '/settings/members', label: 'Members' },
] as const

export function SettingsLinks() {
  return <LinkTabs aria-label="Settings" links={links} />
}
