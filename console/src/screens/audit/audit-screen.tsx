import { useMutation } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Download, ScrollText } from 'lucide-react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import type { AuditEntry } from '#console/api/types.ts'
import { usePolled } from '#console/api/use-polled.ts'
import { useTrail } from '#console/lib/breadcrumb.ts'
import { saveText } from '#console/lib/save-text.ts'
import { DeveloperLinks } from '#console/shared/developer-links.tsx'
import { SearchedList } from '#console/shared/searched-list.tsx'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { EmailText } from '#console/ui/email-text.tsx'
import { Empty } from '#console/ui/empty.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Page } from '#console/ui/page.tsx'
import { Select } from '#console/ui/select.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { Table } from '#console/ui/table.tsx'
import { When } from '#console/ui/when.tsx'
import { type AuditAction, actionWords, actorText, isAction } from './action-words.ts'

const route = getRouteApi('/framed/developer/audit')
const pageSize = 50
const actions = [
  { value: 'ANY' as const, label: 'Everything' },
  ...(Object.keys(actionWords) as AuditAction[]).map((value) => ({
    value,
    label: actionWords[value],
  })),
]

export function AuditScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const action = isAction(search.action) ? search.action : undefined
  const filters = action ? { action } : {}
  const { cursor } = search
  const query = usePolled({
    queryKey: ['audit', action, cursor],
    read: (signal) =>
      consoleCall('GET /audit', {
        query: { ...filters, ...(cursor ? { cursor } : {}), size: pageSize },
        signal,
      }),
    retryAfterSeconds: () => 15,
  })
  const save = useMutation({
    mutationFn: async () => {
      const { csv } = await consoleCall('POST /audit/export', { body: filters })
      saveText(csv, 'audit.csv', 'text/csv')
    },
  })
  useTrail('Audit log')
  return (
    <>
      <DeveloperLinks />
      <Page
        title="Audit log"
        lead="What was changed in this account, by whom and from where."
        actions={
          <Button
            icon={<Download size={16} aria-hidden />}
            busy={save.isPending}
            onClick={() => save.mutate()}
          >
            Export CSV
          </Button>
        }
      >
        {save.error && <Failure failure={toApiFailure(save.error)} onRetry={() => save.mutate()} />}
        <div className="max-w-80 pb-4">
          <Select
            aria-label="Action"
            options={actions}
            value={action ?? 'ANY'}
            onChange={(chosen) =>
              void navigate({ search: chosen === 'ANY' ? {} : { action: chosen }, replace: true })
            }
          />
        </div>
        <SearchedList
          query={query}
          noun="entries"
          skeleton={<SkeletonRows />}
          search={search}
          isFiltered={action !== undefined}
          onClear={() => void navigate({ search: {} })}
          onNext={(next) => void navigate({ search: (before) => ({ ...before, cursor: next }) })}
          nothing={<Empty icon={<ScrollText size={24} aria-hidden />} title="No entries yet" />}
        >
          {(entries) => (
            <Card flush>
              <AuditTable entries={entries} />
            </Card>
          )}
        </SearchedList>
      </Page>
    </>
  )
}

function AuditTable({ entries }: { entries: readonly AuditEntry[] }) {
  return (
    <Table
      caption="Audit log"
      rows={entries}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'action',
          label: 'Action',
          names: true,
          draw: ({ action, target, actor }) => (
            <span className="flex flex-col">
              <span className="font-semibold">{actionWords[action]}</span>
              <span className="text-sm md:hidden">
                <EmailText email={actorText(actor)} />
              </span>
              {target !== null && (
                <span className="text-soft text-sm [overflow-wrap:anywhere]">{target}</span>
              )}
            </span>
          ),
        },
        {
          key: 'actor',
          label: 'By',
          wideOnly: true,
          draw: ({ actor }) => <EmailText email={actorText(actor)} />,
        },
        {
          key: 'address',
          label: 'Address',
          wideOnly: true,
          draw: ({ ipAddress }) => ipAddress ?? '–',
        },
        { key: 'at', label: 'When', draw: ({ at }) => <When at={at} /> },
      ]}
    />
  )
}
