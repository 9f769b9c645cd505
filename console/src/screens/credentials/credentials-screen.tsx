import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { LockKeyhole, Plus } from 'lucide-react'
import { useState } from 'react'
import { consoleCall } from '#console/api/console-api.ts'
import type { Credential } from '#console/api/types.ts'
import { useTrail } from '#console/lib/breadcrumb.ts'
import { useCommand } from '#console/lib/commands.ts'
import { DeveloperLinks } from '#console/shared/developer-links.tsx'
import { May } from '#console/shared/may.tsx'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { Empty } from '#console/ui/empty.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Page } from '#console/ui/page.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { CredentialDialog } from './credential-dialog.tsx'
import { CredentialTable } from './credential-table.tsx'
import { DeleteCredentialDialog } from './delete-credential-dialog.tsx'

const route = getRouteApi('/framed/developer/credentials')

export function CredentialsScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [leaving, setLeaving] = useState<Credential | null>(null)
  const query = useQuery({
    queryKey: ['credentials'],
    queryFn: async ({ signal }) => (await consoleCall('GET /credentials', { signal })).items,
  })
  const openNew = () => void navigate({ search: { new: true } })
  const close = () => void navigate({ search: {}, replace: true })
  useTrail('Credentials')
  useCommand({ id: 'new credential', label: 'New credential', group: 'This page', run: openNew })
  const replaced = query.data?.find(({ name }) => name === search.replace)
  return (
    <>
      <DeveloperLinks />
      <Page
        title="Credentials"
        lead="Secrets that nodes send to other services, and your own keys for models. Workflows hold their names only."
        actions={
          <May need="owner">
            <Button variant="primary" icon={<Plus size={16} aria-hidden />} onClick={openNew}>
              New credential
            </Button>
          </May>
        }
      >
        <Loadable
          query={query}
          skeleton={<SkeletonRows />}
          isEmpty={(credentials) => credentials.length === 0}
          empty={
            <Empty
              icon={<LockKeyhole size={24} aria-hidden />}
              title="No credentials yet"
              action={
                <May need="owner">
                  <Button variant="primary" onClick={openNew}>
                    Store the first credential
                  </Button>
                </May>
              }
            >
              Store the token of a service, or your own key for a model provider, then choose it by
              name in a node.
            </Empty>
          }
        >
          {(credentials) => (
            <Card flush>
              <CredentialTable
                credentials={credentials}
                onReplace={({ name }) => void navigate({ search: { replace: name } })}
                onDelete={setLeaving}
              />
            </Card>
          )}
        </Loadable>
        {search.new && <CredentialDialog onClose={close} />}
        {replaced && <CredentialDialog key={replaced.name} credential={replaced} onClose={close} />}
        {leaving && (
          <DeleteCredentialDialog credential={leaving} onClose={() => setLeaving(null)} />
        )}
      </Page>
    </>
  )
}
