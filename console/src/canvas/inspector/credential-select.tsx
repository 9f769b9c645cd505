import { useQuery } from '@tanstack/react-query'
import { developerCall } from '#console/api/developer-api.ts'
import { Select } from '#console/ui/select.tsx'

type CredentialSelectProps = { value: unknown; onChange(value: unknown): void; id?: string }

/** The account's credentials by name; the secrets themselves never reach a page. */
export default function CredentialSelect({ value, onChange, ...control }: CredentialSelectProps) {
  const { data } = useQuery({
    queryKey: ['credentials'],
    queryFn: async ({ signal }) => (await developerCall('GET /credentials', { signal })).items,
  })
  const names = (data ?? []).map(({ name }) => name)
  const chosen = typeof value === 'string' ? value : ''
  const isMissing = data !== undefined && chosen !== '' && !names.includes(chosen)
  return (
    <Select
      {...control}
      options={[
        { value: '', label: 'None' },
        ...(isMissing ? [{ value: chosen, label: `${chosen} (does not exist)` }] : []),
        ...names.map((name) => ({ value: name, label: name })),
      ]}
      value={chosen}
      onChange={(name) => onChange(name === '' ? undefined : name)}
    />
  )
}
