import type { ReactNode } from 'react'
import { Field } from '#console/ui/field.tsx'
import type { Option } from '#console/ui/option.ts'
import { Select } from '#console/ui/select.tsx'

type ChoiceSettingProps<T extends string> = {
  label: string
  hint?: ReactNode
  problem?: string | undefined
  options: readonly Option<T>[]
  value: T
  onChange(value: NoInfer<T>): void
}

/** A setting that is one of a few. */
export function ChoiceSetting<T extends string>(props: ChoiceSettingProps<T>) {
  const { label, hint, problem, ...choice } = props
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(control) => <Select {...control} {...choice} />}
    </Field>
  )
}
