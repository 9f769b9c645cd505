import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { consoleCall } from '#console/api/console-api.ts'
import { counted } from '#console/lib/counted.ts'
import { Badge } from '#console/ui/badge.tsx'
import { Card } from '#console/ui/card.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { When } from '#console/ui/when.tsx'

/** Facts about this server: address, version, providers, retention. */
export function ServerCard() {
  const query = useQuery({
    queryKey: ['server'],
    queryFn: ({ signal }) => consoleCall('GET /server', { signal }),
    staleTime: 300_000,
  })
  return (
    <Card title="This server">
      <Loadable query={query} skeleton={<Skeleton className="h-32 w-full" />}>
        {(server) => (
          <dl className="flex flex-col gap-3">
            <Fact name="Address">
              <code className="[overflow-wrap:anywhere]">{server.baseUrl}</code>
            </Fact>
            <Fact name="Version">
              {server.version}, on {server.database === 'sqlite' ? 'SQLite' : 'PostgreSQL'}
            </Fact>
            <Fact name="Providers">
              <span className="flex flex-wrap gap-2">
                {server.providers.map(({ id, configured, models }) => (
                  <Badge key={id} tone={configured ? 'good' : 'plain'}>
                    {id}: {configured ? counted(models, 'model') : 'no key'}
                  </Badge>
                ))}
              </span>
            </Fact>
            {server.pricesFile && (
              <Fact name="Prices">
                {server.pricesFile.source}
                {server.pricesFile.date ? `, ${server.pricesFile.date}` : ''}, read{' '}
                <When at={server.pricesFile.readAt} />
              </Fact>
            )}
            <Fact name="Retention">{counted(server.retentionDays, 'day')} after completion</Fact>
          </dl>
        )}
      </Loadable>
    </Card>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-4 sm:grid-cols-[8rem_1fr]">
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  )
}
