import { Field } from '#console/ui/field.tsx'
import { Fold } from '#console/ui/fold.tsx'
import { TextArea } from '#console/ui/text-area.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import type { MoreEntries } from './more-options.ts'

type MoreFieldsProps = {
  entries: MoreEntries
  problems: Partial<Record<keyof MoreEntries, string>>
  currency: string | undefined
  onChange(entries: MoreEntries): void
}

export function MoreFields({ entries, problems, currency, onChange }: MoreFieldsProps) {
  const set = (key: keyof MoreEntries) => (event: { target: { value: string } }) =>
    onChange({ ...entries, [key]: event.target.value })
  return (
    <Fold label="More" isOpen={Object.keys(problems).length > 0}>
      <Field
        label="Cost limit"
        note={currency}
        hint="A call that would exceed this is not made, and the run fails."
        problem={problems.maxCost}
      >
        {(control) => (
          <TextInput
            {...control}
            inputMode="decimal"
            value={entries.maxCost}
            placeholder="No limit"
            onChange={set('maxCost')}
          />
        )}
      </Field>
      <Field
        label="Deadline"
        hint="Until then, text may wait for batches of its vendors, which cost about half."
        problem={problems.deadline}
      >
        {(control) => (
          <TextInput
            {...control}
            type="datetime-local"
            value={entries.deadline}
            onChange={set('deadline')}
          />
        )}
      </Field>
      <Field
        label="Callback"
        hint="A signed webhook is sent there when the run ends."
        problem={problems.callbackUrl}
      >
        {(control) => (
          <TextInput
            {...control}
            type="url"
            value={entries.callbackUrl}
            placeholder="https://…"
            onChange={set('callbackUrl')}
          />
        )}
      </Field>
      <Field
        label="Metadata"
        note="JSON"
        hint="Your own data, stored with the run and sent with its webhook."
        problem={problems.metadata}
      >
        {(control) => (
          <TextArea
            {...control}
            rows={2}
            value={entries.metadata}
            placeholder='{"order": 7}'
            className="font-mono text-sm"
            onChange={set('metadata')}
          />
        )}
      </Field>
    </Fold>
  )
}
