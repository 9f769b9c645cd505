import { Field } from '#console/ui/field.tsx'
import { TextInput } from '#console/ui/text-input.tsx'

const shortest = 12

export const isLongEnough = (password: string): boolean => password.length >= shortest

type NewPasswordFieldProps = {
  label: string
  /** What else a new password entails. */
  hint?: string
  value: string
  /** Whether the form was submitted: only then are problems shown. */
  wasSent: boolean
  onChange(value: string): void
}

/** A field for choosing a password, wherever one is needed. */
export function NewPasswordField({ label, hint, value, wasSent, onChange }: NewPasswordFieldProps) {
  const rule = `At least ${shortest} characters.`
  return (
    <Field
      label={label}
      hint={hint ? `${rule} ${hint}` : rule}
      problem={wasSent && !isLongEnough(value) ? rule : null}
    >
      {(control) => (
        <TextInput
          {...control}
          type="password"
          autoComplete="new-password"
          maxLength={128}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}
