import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import type { SessionOfMine } from '#console/api/types.ts'
import { Badge } from '#console/ui/badge.tsx'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { Table } from '#console/ui/table.tsx'
import { When } from '#console/ui/when.tsx'

/** Where this person is signed in. */
export function SessionsCard() {
  const client = useQueryClient()
  const query = useQuery({
    queryKey: ['sessions'],
    queryFn: async ({ signal }) => (await consoleCall('GET /sessions', { signal })).items,
  })
  const end = useMutation({
    mutationFn: async (sessionId: string | 'others') => {
      if (sessionId === 'others') await consoleCall('DELETE /sessions', {})
      else await consoleCall('DELETE /sessions/{sessionId}', { params: { sessionId } })
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['sessions'] }),
  })
  const hasOthers = (query.data?.length ?? 0) > 1
  return (
    <Card
      title="Where you are signed in"
      flush
      className="lg:col-span-2"
      actions={
        hasOthers && (
          <Button
            size="small"
            busy={end.isPending && end.variables === 'others'}
            onClick={() => end.mutate('others')}
          >
            End all other sessions
          </Button>
        )
      }
    >
      {end.error && <Failure failure={toApiFailure(end.error)} />}
      <Loadable query={query} skeleton={<SkeletonRows />}>
        {(sessions) => (
          <SessionTable
            sessions={sessions}
            ending={end.isPending ? end.variables : undefined}
            onEnd={(id) => end.mutate(id)}
          />
        )}
      </Loadable>
    </Card>
  )
}

type SessionTableProps = {
  sessions: readonly SessionOfMine[]
  /** The session being ended. */
  ending: string | undefined
  onEnd(id: string): void
}

function SessionTable({ sessions, ending, onEnd }: SessionTableProps) {
  return (
    <Table
      caption="Where you are signed in"
      rows={sessions}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'device',
          label: 'Browser',
          names: true,
          draw: (session) => <Device session={session} />,
        },
        {
          key: 'address',
          label: 'Address',
          wideOnly: true,
          draw: ({ ipAddress }) => ipAddress && <code>{ipAddress}</code>,
        },
        {
          key: 'since',
          label: 'Since',
          wideOnly: true,
          draw: ({ createdAt }) => <When at={createdAt} />,
        },
        {
          key: 'seen',
          label: 'Last used',
          draw: ({ lastSeenAt }) => <When at={lastSeenAt} />,
        },
        {
          key: 'actions',
          label: 'Actions',
          hideLabel: true,
          align: 'right',
          draw: ({ id, current, device }) =>
            !current && (
              <Button
                size="small"
                aria-label={`End the session in ${device ?? 'an unknown browser'}`}
                busy={ending === id}
                onClick={() => onEnd(id)}
              >
                End
              </Button>
            ),
        },
      ]}
    />
  )
}

function Device({ session: { device, current } }: { session: SessionOfMine }) {
  return (
    <span className="flex flex-wrap items-center gap-2">
      {device ?? 'An unknown browser'}
      {current && <Badge tone="good">current</Badge>}
    </span>
  )
}
