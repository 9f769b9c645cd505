import type { ReactNode } from 'react'
import { Field } from '#console/ui/field.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { problemIn } from './trigger-body.ts'
import type { DraftProps, TriggerDraft } from './trigger-draft.ts'

type TextName = {
  [Name in keyof TriggerDraft]: [string, TriggerDraft[Name]] extends [TriggerDraft[Name], string]
    ? Name
    : never
}[keyof TriggerDraft]

type TextSettingProps = DraftProps & {
  name: TextName
  label: string
  note?: string
  hint?: ReactNode
  placeholder?: string
  type?: 'text' | 'datetime-local' | 'url'
  inputMode?: 'numeric' | 'decimal'
  /** The name of the setting, if it differs from that of the draft's member. */
  setting?: string
}

/** A setting in one line of text. */
export function TextSetting(props: TextSettingProps) {
  const { draft, problems, onChange, name, label, note, hint, setting = name, ...input } = props
  return (
    <Field label={label} note={note} hint={hint} problem={problemIn(problems, setting)}>
      {(control) => (
        <TextInput
          {...control}
          {...input}
          spellCheck={false}
          value={draft[name]}
          onChange={({ target }) => onChange({ [name]: target.value })}
        />
      )}
    </Field>
  )
}
