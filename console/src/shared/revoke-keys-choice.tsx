import { Checkbox } from '#console/ui/checkbox.tsx'

type Props = { checked: boolean; onChange: (checked: boolean) => void }

/** Offered wherever a new password is set. */
export function RevokeKeysChoice({ checked, onChange }: Props) {
  return (
    <Checkbox
      label="Also revoke the API keys I made"
      hint="If somebody else may have used your account. Programs that use these keys will stop."
      checked={checked}
      onChange={(event) => onChange(event.target.checked)}
    />
  )
}
