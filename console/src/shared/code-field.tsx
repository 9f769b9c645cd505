import { useEffect, useRef } from 'react'
import { Field } from '#console/ui/field.tsx'
import { TextInput } from '#console/ui/text-input.tsx'

type CodeFieldProps = {
  name?: string
  value?: string
  onChange?(code: string): void
  problem?: string | null
  /** False while two-step sign-in is being set up, where only a code of the app proves anything. */
  takesRecoveryCodes?: boolean
}

/** A code for two-step sign-in. It takes the focus when it appears: it is next to be typed. */
export function CodeField({
  name,
  value,
  onChange,
  problem,
  takesRecoveryCodes = true,
}: CodeFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  return (
    <Field
      label="Code"
      hint={
        takesRecoveryCodes
          ? 'Six digits from your authenticator app, or a recovery code.'
          : 'The six digits that the app shows.'
      }
      problem={problem}
    >
      {(control) => (
        <TextInput
          {...control}
          ref={input}
          name={name}
          autoComplete="one-time-code"
          inputMode={takesRecoveryCodes ? 'text' : 'numeric'}
          maxLength={40}
          required
          {...(onChange ? { value, onChange: ({ target }) => onChange(target.value) } : {})}
        />
      )}
    </Field>
  )
}
