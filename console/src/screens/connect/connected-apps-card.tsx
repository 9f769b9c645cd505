import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { consoleCall } from '#console/api/console-api.ts'
import type { ConnectedApp } from '#console/api/types.ts'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { Table } from '#console/ui/table.tsx'
import { When } from '#console/ui/when.tsx'
import { DisconnectDialog } from './disconnect-dialog.tsx'

/** The apps to which this person gave access over MCP. */
export function ConnectedAppsCard({ baseUrl }: { baseUrl: string }) {
  const [leaving, setLeaving] = useState<ConnectedApp | null>(null)
  const query = useQuery({
    queryKey: ['connected-apps'],
    queryFn: async ({ signal }) => (await consoleCall('GET /connected-apps', { signal })).items,
  })
  return (
    <Card title="Connected apps" flush>
      <Loadable
        query={query}
        skeleton={<SkeletonRows />}
        isEmpty={(apps) => apps.length === 0}
        empty={
          <p className="px-5 pb-5 text-soft">
            None yet. Give an app the address <code>{baseUrl}/mcp</code>, and it asks you for access
            here.
          </p>
        }
      >
        {(apps) => <AppTable apps={apps} onDisconnect={setLeaving} />}
      </Loadable>
      {leaving && <DisconnectDialog app={leaving} onClose={() => setLeaving(null)} />}
    </Card>
  )
}

type AppTableProps = { apps: readonly ConnectedApp[]; onDisconnect(app: ConnectedApp): void }

function AppTable({ apps, onDisconnect }: AppTableProps) {
  return (
    <Table
      caption="Connected apps"
      rows={apps}
      rowKey={({ id }) => id}
      columns={[
        { key: 'name', label: 'App', names: true, draw: (app) => <AppName app={app} /> },
        {
          key: 'scopes',
          label: 'May',
          wideOnly: true,
          draw: ({ scopes }) => <span className="text-sm">{scopes.join(', ')}</span>,
        },
        {
          key: 'connected',
          label: 'Connected',
          wideOnly: true,
          draw: ({ connectedAt }) => <When at={connectedAt} />,
        },
        { key: 'used', label: 'Last used', draw: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
        {
          key: 'actions',
          label: 'Actions',
          hideLabel: true,
          align: 'right',
          draw: (app) => (
            <Button aria-label={`Disconnect ${app.name}`} onClick={() => onDisconnect(app)}>
              Disconnect
            </Button>
          ),
        },
      ]}
    />
  )
}

function AppName({ app }: { app: ConnectedApp }) {
  return (
    <span className="flex flex-col [overflow-wrap:anywhere]">
      <span className="font-semibold">{app.name}</span>
      <span className="text-soft text-sm">{app.receiver}</span>
    </span>
  )
}
