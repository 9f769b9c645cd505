import { RefreshCw, Trash2 } from 'lucide-react'
import type { Credential } from '#console/api/types.ts'
import { May } from '#console/shared/may.tsx'
import { RowMenu } from '#console/ui/row-menu.tsx'
import { Table } from '#console/ui/table.tsx'
import { When } from '#console/ui/when.tsx'
import { kindText } from './credential-draft.ts'
import { NoHosts } from './no-hosts.tsx'

type CredentialTableProps = {
  credentials: readonly Credential[]
  onReplace(credential: Credential): void
  onDelete(credential: Credential): void
}

export function CredentialTable({ credentials, onReplace, onDelete }: CredentialTableProps) {
  return (
    <Table
      caption="Credentials"
      rows={credentials}
      rowKey={({ name }) => name}
      columns={[
        {
          key: 'name',
          label: 'Name',
          names: true,
          draw: (credential) => <CredentialName credential={credential} />,
        },
        { key: 'kind', label: 'Kind', wideOnly: true, draw: ({ kind }) => kindText(kind) },
        {
          key: 'sent-to',
          label: 'Sent to',
          wideOnly: true,
          draw: ({ kind, provider, hosts }) =>
            kind === 'webhook'
              ? 'Nowhere: it verifies senders'
              : (provider ?? (hosts.join(', ') || <NoHosts />)),
        },
        {
          key: 'used',
          label: 'Last used',
          draw: ({ lastUsedAt }) => <When at={lastUsedAt} none="never" />,
        },
        {
          key: 'actions',
          label: 'Actions',
          hideLabel: true,
          align: 'right',
          draw: (credential) => (
            <May need="owner">
              <RowMenu
                name={credential.name}
                items={[
                  {
                    label: 'Replace',
                    icon: <RefreshCw size={16} aria-hidden />,
                    onSelect: () => onReplace(credential),
                  },
                  {
                    label: 'Delete',
                    icon: <Trash2 size={16} aria-hidden />,
                    danger: true,
                    onSelect: () => onDelete(credential),
                  },
                ]}
              />
            </May>
          ),
        },
      ]}
    />
  )
}

function CredentialName({ credential: { name, lastChars } }: { credential: Credential }) {
  return (
    <span className="flex flex-col">
      <span className="font-semibold [overflow-wrap:anywhere]">{name}</span>
      {lastChars !== null && <code className="text-soft">…{lastChars}</code>}
    </span>
  )
}
