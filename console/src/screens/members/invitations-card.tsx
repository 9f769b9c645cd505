import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import type { Invitation } from '#console/api/types.ts'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { EmailText } from '#console/ui/email-text.tsx'
import { FieldProblem } from '#console/ui/field-problem.tsx'
import { Table } from '#console/ui/table.tsx'
import { When } from '#console/ui/when.tsx'
import { roleOptions } from './role-words.ts'

/** Invitations that nobody has used yet; renders nothing if there are none. */
export function InvitationsCard() {
  const query = useQuery({
    queryKey: ['invitations'],
    queryFn: async ({ signal }) => (await consoleCall('GET /invitations', { signal })).items,
  })
  if (!query.data || query.data.length === 0) return null
  return (
    <Card title="Open invitations" flush>
      <Table
        caption="Open invitations"
        rows={query.data}
        rowKey={({ id }) => id}
        columns={[
          {
            key: 'email',
            label: 'E-mail',
            names: true,
            draw: ({ email }) => <EmailText email={email} />,
          },
          {
            key: 'role',
            label: 'Role',
            draw: ({ role }) => roleOptions.find(({ value }) => value === role)?.label,
          },
          {
            key: 'expires',
            label: 'Expires',
            wideOnly: true,
            draw: ({ expiresAt }) => <When at={expiresAt} />,
          },
          {
            key: 'actions',
            label: 'Actions',
            hideLabel: true,
            align: 'right',
            draw: (invitation) => <Withdraw invitation={invitation} />,
          },
        ]}
      />
    </Card>
  )
}

function Withdraw({ invitation }: { invitation: Invitation }) {
  const client = useQueryClient()
  const withdraw = useMutation({
    mutationFn: () =>
      consoleCall('DELETE /invitations/{invitationId}', {
        params: { invitationId: invitation.id },
      }),
    onSettled: () => client.invalidateQueries({ queryKey: ['invitations'] }),
  })
  return (
    <div className="flex flex-col items-end gap-1">
      <Button
        size="small"
        busy={withdraw.isPending}
        aria-label={`Withdraw the invitation for ${invitation.email}`}
        onClick={() => withdraw.mutate()}
      >
        Withdraw
      </Button>
      {withdraw.error && <FieldProblem text={toApiFailure(withdraw.error).message} />}
    </div>
  )
}
