import { Ban, Pencil } from 'lucide-react'
import { useSession } from '#console/api/session.ts'
import type { ApiKey } from '#console/api/types.ts'
import { counted } from '#console/lib/counted.ts'
import { locale } from '#console/lib/locale.ts'
import { formatMoney } from '#console/lib/money.ts'
import { Badge } from '#console/ui/badge.tsx'
import { RowMenu } from '#console/ui/row-menu.tsx'
import { Table } from '#console/ui/table.tsx'
import { When } from '#console/ui/when.tsx'
import { keyState, presetOf, presets } from './key-draft.ts'

type KeyTableProps = {
  keys: readonly ApiKey[]
  onEdit(key: ApiKey): void
  onRevoke(key: ApiKey): void
}

export function KeyTable({ keys, onEdit, onRevoke }: KeyTableProps) {
  const session = useSession().data?.session
  // Editors may change the keys they created, owners all keys, viewers none.
  const mayChange = ({ userId }: ApiKey) =>
    session?.role === 'owner' || (session?.role === 'editor' && userId === session.user.id)
  return (
    <Table
      caption="API keys"
      rows={keys}
      rowKey={({ id }) => id}
      columns={[
        { key: 'name', label: 'Name', names: true, draw: (key) => <KeyName apiKey={key} /> },
        { key: 'scopes', label: 'Access', wideOnly: true, draw: (key) => rightsText(key) },
        { key: 'limits', label: 'Limits', wideOnly: true, draw: (key) => limitsText(key) },
        {
          key: 'used',
          label: 'Last used',
          draw: ({ lastUsedAt }) => <When at={lastUsedAt} none="never" />,
        },
        {
          key: 'expires',
          label: 'Expires',
          wideOnly: true,
          draw: ({ expiresAt }) => <When at={expiresAt} none="never" />,
        },
        {
          key: 'actions',
          label: 'Actions',
          hideLabel: true,
          align: 'right',
          draw: (key) =>
            key.revokedAt === null &&
            mayChange(key) && <KeyActions apiKey={key} onEdit={onEdit} onRevoke={onRevoke} />,
        },
      ]}
    />
  )
}

function KeyName({ apiKey }: { apiKey: ApiKey }) {
  const state = keyState(apiKey, Date.now())
  return (
    <span className="flex flex-col">
      <span className="flex flex-wrap items-center gap-2 font-semibold [overflow-wrap:anywhere]">
        {apiKey.name}
        {state !== 'live' && <Badge tone={state === 'revoked' ? 'bad' : 'warn'}>{state}</Badge>}
      </span>
      <code className="text-soft">{apiKey.display}</code>
    </span>
  )
}

type KeyActionsProps = { apiKey: ApiKey } & Pick<KeyTableProps, 'onEdit' | 'onRevoke'>

function KeyActions({ apiKey, onEdit, onRevoke }: KeyActionsProps) {
  return (
    <RowMenu
      name={apiKey.name}
      items={[
        {
          label: 'Change',
          icon: <Pencil size={16} aria-hidden />,
          onSelect: () => onEdit(apiKey),
        },
        {
          label: 'Revoke',
          icon: <Ban size={16} aria-hidden />,
          danger: true,
          onSelect: () => onRevoke(apiKey),
        },
      ]}
    />
  )
}

function rightsText({ scopes }: ApiKey): string {
  const preset = presetOf(scopes)
  if (preset === 'custom') return counted(scopes.length, 'permission')
  return presets.find(({ value }) => value === preset)?.label ?? ''
}

function limitsText({ limits: { spendPerMonth, ...rates } }: ApiKey): string {
  const rateCount = Object.keys(rates).length
  const said = [
    ...(spendPerMonth === undefined
      ? []
      : [`${formatMoney(spendPerMonth, 'USD', locale)} a month`]),
    ...(rateCount === 0 ? [] : [counted(rateCount, 'rate limit')]),
  ]
  return said.join(', ') || 'none'
}
