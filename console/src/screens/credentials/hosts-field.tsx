import { Field } from '#console/ui/field.tsx'
import { TextArea } from '#console/ui/text-area.tsx'

type HostsFieldProps = { value: string; onChange(hosts: string): void; problem?: string }

export const HostsField = ({ value, onChange, problem }: HostsFieldProps) => (
  <Field
    label="Hosts"
    hint="Where the secret may be sent, one host per line: api.example.com or *.example.com. Whoever edits a workflow cannot send it anywhere else."
    problem={problem}
  >
    {(control) => (
      <TextArea
        {...control}
        value={value}
        rows={2}
        spellCheck={false}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
)
