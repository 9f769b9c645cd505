import { useQuery } from '@tanstack/react-query'
import { consoleCall } from '#console/api/console-api.ts'
import { Field } from '#console/ui/field.tsx'
import { Select } from '#console/ui/select.tsx'

type ProviderFieldProps = { value: string; onChange(provider: string): void; problem?: string }

/** Whose key it is: one of the providers that this server can call with a caller's key. */
export function ProviderField({ value, onChange, problem }: ProviderFieldProps) {
  const { data } = useQuery({
    queryKey: ['server'],
    queryFn: ({ signal }) => consoleCall('GET /server', { signal }),
    staleTime: 300_000,
  })
  const options = (data?.providers ?? [])
    .filter(({ takesKeys }) => takesKeys)
    .map(({ id }) => ({ value: id, label: id }))
  return (
    <Field
      label="Provider"
      hint="Nodes that name this credential call the models of this provider with your key, and the provider bills you."
      problem={problem}
    >
      {(control) => (
        <Select {...control} options={options} value={value || null} onChange={onChange} />
      )}
    </Field>
  )
}
