import { Field } from '#console/ui/field.tsx'
import { TextInput } from '#console/ui/text-input.tsx'

type PasswordFieldProps = {
  value: string
  onChange(password: string): void
  problem?: string | null
}

/** The current password of the signed-in person. */
export function PasswordField({ value, onChange, problem }: PasswordFieldProps) {
  return (
    <Field label="Current password" problem={problem}>
      {(control) => (
        <TextInput
          {...control}
          type="password"
          autoComplete="current-password"
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}
