import { useQuery } from '@tanstack/react-query'
import { consoleCall } from '#console/api/console-api.ts'
import type { Credential } from '#console/api/types.ts'
import { Select } from '#console/ui/select.tsx'

type CredentialSelectProps = {
  value: unknown
  onChange(value: unknown): void
  purpose: { forModel: boolean; provider?: string }
  id?: string
}

/** The account's credentials by name; the secrets themselves never reach a page. */
export default function CredentialSelect({
  value,
  onChange,
  purpose: { forModel, provider },
  ...control
}: CredentialSelectProps) {
  const { data } = useQuery({
    queryKey: ['credentials'],
    queryFn: async ({ signal }) => (await consoleCall('GET /credentials', { signal })).items,
  })
  const fits = (one: Credential) =>
    forModel
      ? one.kind === 'provider' && (provider === undefined || one.provider === provider)
      : one.kind !== 'provider' && one.kind !== 'webhook'
  const names = (data ?? []).filter(fits).map(({ name }) => name)
  const chosen = typeof value === 'string' ? value : ''
  const isOther = data !== undefined && chosen !== '' && !names.includes(chosen)
  const isThere = data?.some(({ name }) => name === chosen)
  return (
    <Select
      {...control}
      options={[
        { value: '', label: forModel ? 'None: the server’s key' : 'None' },
        ...(isOther
          ? [
              {
                value: chosen,
                label: `${chosen} (${isThere ? 'not usable here' : 'does not exist'})`,
              },
            ]
          : []),
        ...names.map((name) => ({ value: name, label: name })),
      ]}
      value={chosen}
      onChange={(name) => onChange(name === '' ? undefined : name)}
    />
  )
}
