import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { consoleCall } from '#console/api/console-api.ts'
import type { ApiKey, NewApiKey } from '#console/api/types.ts'
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
import { Switch } from '#console/ui/switch.tsx'
import { KeyDialog } from './key-dialog.tsx'
import { keyState } from './key-draft.ts'
import { KeyTable } from './key-table.tsx'
import { RevokeKeyDialog } from './revoke-key-dialog.tsx'
import { ShownKeyDialog } from './shown-key-dialog.tsx'

const route = getRouteApi('/framed/developer/keys')

export function KeysScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [made, setMade] = useState<NewApiKey | null>(null)
  const [leaving, setLeaving] = useState<ApiKey | null>(null)
  const query = useQuery({
    queryKey: ['api-keys'],
    queryFn: async ({ signal }) => (await consoleCall('GET /api-keys', { signal })).items,
  })
  const openNew = () => void navigate({ search: (before) => ({ ...before, new: true }) })
  const close = () =>
    void navigate({ search: ({ revoked }) => (revoked ? { revoked } : {}), replace: true })
  useTrail('API keys')
  useCommand({ id: 'create key', label: 'Create an API key', group: 'This page', run: openNew })
  const edited = query.data?.find(({ id }) => id === search.edit)
  return (
    <>
      <DeveloperLinks />
      <Page
        title="API keys"
        lead="Programs call the API with a key. Give each program its own key, so that you can limit or revoke it separately."
        actions={
          <May need="editor">
            <Button variant="primary" icon={<Plus size={16} aria-hidden />} onClick={openNew}>
              New key
            </Button>
          </May>
        }
      >
        <Loadable
          query={query}
          skeleton={<SkeletonRows />}
          isEmpty={(keys) => keys.length === 0}
          empty={
            <Empty
              icon={<KeyRound size={24} aria-hidden />}
              title="No keys yet"
              action={
                <May need="editor">
                  <Button variant="primary" onClick={openNew}>
                    Create the first key
                  </Button>
                </May>
              }
            >
              A key lets curl, your code or an agent act in your name, within the permissions you
              give it.
            </Empty>
          }
        >
          {(keys) => {
            const live = keys.filter((key) => keyState(key, Date.now()) === 'live')
            const hidden = keys.length - live.length
            return (
              <Card flush>
                <KeyTable
                  keys={search.revoked ? keys : live}
                  onEdit={({ id }) =>
                    void navigate({ search: (before) => ({ ...before, edit: id }) })
                  }
                  onRevoke={setLeaving}
                />
                {hidden > 0 && (
                  <div className="border-line border-t px-5 py-2">
                    <Switch
                      label={`Show ${hidden} revoked or expired`}
                      checked={search.revoked ?? false}
                      onChange={(event) =>
                        void navigate({
                          search: event.target.checked ? { revoked: true } : {},
                          replace: true,
                        })
                      }
                    />
                  </div>
                )}
              </Card>
            )
          }}
        </Loadable>
        {search.new && <KeyDialog onClose={close} onMade={setMade} />}
        {edited && <KeyDialog key={edited.id} apiKey={edited} onClose={close} onMade={setMade} />}
        {made && <ShownKeyDialog made={made} onClose={() => setMade(null)} />}
        {leaving && <RevokeKeyDialog apiKey={leaving} onClose={() => setLeaving(null)} />}
      </Page>
    </>
  )
}
