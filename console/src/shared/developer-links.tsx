import { useMay } from '#console/api/session.ts'
import { LinkTabs } from '#console/ui/link-tabs.tsx'

const links = [
  { to: '/developer/keys', label: 'API keys' },
  { to: '/developer/credentials', label: 'Credentials' },
  { to: '/developer/webhooks', label: 'Webhooks' },
  { to: '/developer/connect', label: 'Connect' },
  { to: '/developer/audit', label: 'Audit log', needs: 'owner' },
] as const

export function DeveloperLinks() {
  const isOwner = useMay('owner')
  return (
    <LinkTabs
      aria-label="Developer"
      links={links.filter((link) => isOwner || !('needs' in link))}
    />
  )
}
