import { useMutation, useQueryClient } from '@tanstack/react-query'
import { KeyRound, ShieldOff, UserCheck, UserMinus, UserX } from 'lucide-react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import type { Member, Role } from '#console/api/types.ts'
import { Badge } from '#console/ui/badge.tsx'
import { EmailText } from '#console/ui/email-text.tsx'
import { FieldProblem } from '#console/ui/field-problem.tsx'
import { RowMenu } from '#console/ui/row-menu.tsx'
import { Select } from '#console/ui/select.tsx'
import { Table } from '#console/ui/table.tsx'
import { When } from '#console/ui/when.tsx'
import type { Asked } from './member-questions.ts'
import { roleOptions } from './role-words.ts'

type MemberTableProps = {
  members: readonly Member[]
  myId: string | undefined
  mayChange: boolean
  onAsk(asked: Asked): void
}

export function MemberTable({ members, myId, mayChange, onAsk }: MemberTableProps) {
  return (
    <Table
      caption="Members"
      rows={members}
      rowKey={({ userId }) => userId}
      columns={[
        {
          key: 'name',
          label: 'Person',
          names: true,
          draw: (member) => <MemberName member={member} isMe={member.userId === myId} />,
        },
        {
          key: 'role',
          label: 'Role',
          draw: (member) =>
            mayChange ? (
              <RoleSelect member={member} />
            ) : (
              roleOptions.find(({ value }) => value === member.role)?.label
            ),
        },
        {
          key: 'keys',
          label: 'Live keys',
          wideOnly: true,
          align: 'right',
          draw: ({ liveKeys }) => liveKeys,
        },
        {
          key: 'seen',
          label: 'Last seen',
          wideOnly: true,
          draw: ({ lastSeenAt }) => <When at={lastSeenAt} none="never" />,
        },
        ...(mayChange
          ? [
              {
                key: 'actions',
                label: 'Actions',
                hideLabel: true,
                align: 'right' as const,
                draw: (member: Member) => <MemberActions member={member} onAsk={onAsk} />,
              },
            ]
          : []),
      ]}
    />
  )
}

function MemberName({ member, isMe }: { member: Member; isMe: boolean }) {
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <span className="flex flex-col">
        <b className="font-semibold">
          <EmailText email={member.name} />
        </b>
        {member.email !== null && member.email !== member.name && (
          <span className="text-soft text-sm">
            <EmailText email={member.email} />
          </span>
        )}
      </span>
      {isMe && <Badge>you</Badge>}
      {member.disabled && <Badge tone="bad">disabled</Badge>}
      {member.twoStep && <Badge tone="good">two-step</Badge>}
    </span>
  )
}

/** Takes effect at once; a refusal by the server is shown below it. */
function RoleSelect({ member }: { member: Member }) {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: (role: Role) =>
      consoleCall('PUT /members/{userId}', { params: { userId: member.userId }, body: { role } }),
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: ['members'] })
      await client.invalidateQueries({ queryKey: ['session'] })
    },
  })
  return (
    <div className="flex min-w-28 flex-col gap-1 py-0.5">
      <Select
        aria-label={`Role of ${member.name}`}
        options={roleOptions}
        value={change.isPending ? (change.variables ?? member.role) : member.role}
        disabled={change.isPending}
        onChange={(role) => role !== member.role && change.mutate(role)}
      />
      {change.error && <FieldProblem text={toApiFailure(change.error).message} />}
    </div>
  )
}

function MemberActions({ member, onAsk }: { member: Member; onAsk(asked: Asked): void }) {
  const ask = (kind: Asked['kind']) => () => onAsk({ kind, member })
  return (
    <RowMenu
      name={member.name}
      items={[
        ...(member.email === null
          ? []
          : [
              {
                label: 'New password link',
                icon: <KeyRound size={16} aria-hidden />,
                onSelect: ask('recover'),
              },
            ]),
        ...(member.twoStep
          ? [
              {
                label: 'Turn off two-step sign-in',
                icon: <ShieldOff size={16} aria-hidden />,
                onSelect: ask('two-step'),
              },
            ]
          : []),
        member.disabled
          ? {
              label: 'Enable',
              icon: <UserCheck size={16} aria-hidden />,
              onSelect: ask('enable'),
            }
          : {
              label: 'Disable',
              icon: <UserX size={16} aria-hidden />,
              onSelect: ask('disable'),
            },
        {
          label: 'Remove',
          icon: <UserMinus size={16} aria-hidden />,
          danger: true,
          onSelect: ask('remove'),
        },
      ]}
    />
  )
}
