import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import { useSession } from '#console/api/session.ts'
import type { ServerAccount } from '#console/api/types.ts'
import { Badge } from '#console/ui/badge.tsx'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { EmailText } from '#console/ui/email-text.tsx'
import { FieldProblem } from '#console/ui/field-problem.tsx'
import { Table } from '#console/ui/table.tsx'
import { When } from '#console/ui/when.tsx'

/** All accounts of the server, for its operators, if there are others than their own. */
export function AccountsCard() {
  const myAccount = useSession().data?.session?.account.id
  const query = useInfiniteQuery({
    queryKey: ['server-accounts'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      consoleCall('GET /server/accounts', {
        query: pageParam === undefined ? {} : { cursor: pageParam },
        signal,
      }),
    getNextPageParam: ({ next }) => next ?? undefined,
  })
  const accounts = query.data?.pages.flatMap(({ items }) => items) ?? []
  if (accounts.length < 2) return null
  return (
    <Card title="Accounts on this server" flush>
      <Table
        caption="Accounts on this server"
        rows={accounts}
        rowKey={({ id }) => id}
        columns={[
          { key: 'name', label: 'Account', names: true, draw: (row) => <AccountName {...row} /> },
          {
            key: 'people',
            label: 'People',
            wideOnly: true,
            draw: ({ people }) =>
              people.map(({ email, name }) => email ?? name ?? 'not set up yet').join(', '),
            className: 'max-w-80',
          },
          {
            key: 'made',
            label: 'Since',
            wideOnly: true,
            draw: ({ createdAt }) => <When at={createdAt} />,
          },
          {
            key: 'actions',
            label: 'Actions',
            hideLabel: true,
            align: 'right',
            draw: (account) => account.id !== myAccount && <Toggle account={account} />,
          },
        ]}
      />
      {query.hasNextPage && (
        <div className="border-line border-t px-5 py-2">
          <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            More
          </Button>
        </div>
      )}
    </Card>
  )
}

function AccountName({ name, disabledAt }: ServerAccount) {
  return (
    <span className="flex min-w-40 flex-wrap items-center gap-2">
      <EmailText email={name} />
      {disabledAt !== null && <Badge tone="bad">disabled</Badge>}
    </span>
  )
}

function Toggle({ account }: { account: ServerAccount }) {
  const client = useQueryClient()
  const isOff = account.disabledAt !== null
  const change = useMutation({
    mutationFn: () =>
      consoleCall('PUT /server/accounts/{accountId}', {
        params: { accountId: account.id },
        body: { disabled: !isOff },
      }),
    onSettled: () => client.invalidateQueries({ queryKey: ['server-accounts'] }),
  })
  return (
    <div className="flex flex-col items-end gap-1">
      <Button
        size="small"
        busy={change.isPending}
        aria-label={`${isOff ? 'Enable' : 'Disable'} the account ${account.name}`}
        onClick={() => change.mutate()}
      >
        {isOff ? 'Enable' : 'Disable'}
      </Button>
      {change.error && <FieldProblem text={toApiFailure(change.error).message} />}
    </div>
  )
}
