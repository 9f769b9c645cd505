import { BookmarkPlus } from 'lucide-react'
import { useId, useState } from 'react'
import { useOwner } from '#console/api/use-owner.ts'
import { useBase } from '#console/canvas/context.ts'
import { locale } from '#console/lib/locale.ts'
import { fullTime } from '#console/lib/time.ts'
import { useKept } from '#console/lib/use-kept.ts'
import { type Entries, type InputsSchema, readEntries } from '#console/shared/run-form/inputs.ts'
import { inputsOf, sampleInputs } from '#console/shared/run-form/start-values.ts'
import { Button } from '#console/ui/button.tsx'
import { Field } from '#console/ui/field.tsx'
import { Form } from '#console/ui/form.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { Select } from '#console/ui/select.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { useRunsOf } from './use-runs-of.ts'

type Values = Readonly<Record<string, unknown>>

type InputsFromProps = {
  entries: Entries
  schema: InputsSchema
  /** Where the fields were filled from, unless somebody has changed them. */
  first: 'last run' | 'sample' | null
  onValues(values: Values): void
}

/** Fills the fields from a past run, the template's sample, or a set that was saved by name. */
export function InputsFrom({ entries, schema, first, onValues }: InputsFromProps) {
  const { workflowId } = useBase()
  const runs = useRunsOf(workflowId) ?? []
  const [sets, setSets] = useKept<Readonly<Record<string, Values>>>(
    `run sets.${useOwner()}.${workflowId}`,
    {},
  )
  const [chosen, setChosen] = useState<string | null>(null)
  const [isNaming, setNaming] = useState(false)
  if (Object.keys(schema.properties ?? {}).length === 0) return null
  const options = [
    ...Object.keys(sets).map((name) => ({ value: `set ${name}`, label: name, note: 'saved set' })),
    ...runs.slice(0, 10).map(({ runId, createdAt }, index) => ({
      value: `run ${runId}`,
      label: index === 0 ? 'Last run' : `Run of ${fullTime(Date.parse(createdAt), locale)}`,
    })),
    { value: 'sample', label: 'Sample of the template' },
    { value: 'empty', label: 'Empty fields' },
  ]
  const choose = async (value: string) => {
    setChosen(value)
    const name = value.slice(4)
    if (value === 'empty') return onValues({})
    if (value.startsWith('set ')) return onValues(sets[name] ?? {})
    const read = value === 'sample' ? sampleInputs(workflowId ?? 0) : inputsOf(name)
    onValues((await read.catch(() => null)) ?? {})
  }
  const [last] = runs
  const initial = first === 'last run' && last ? `run ${last.runId}` : first
  return (
    <div className="flex flex-col gap-3">
      <Field label="Inputs from">
        {(control) => (
          <div className="flex items-center gap-1">
            <Select
              {...control}
              options={options}
              value={chosen ?? initial}
              placeholder="As typed below"
              onChange={(value) => void choose(value)}
            />
            <IconButton
              label="Save as a set"
              icon={<BookmarkPlus size={16} aria-hidden />}
              onClick={() => setNaming(true)}
            />
          </div>
        )}
      </Field>
      {isNaming && (
        <NameSet
          onName={(name) => {
            setSets({ ...sets, [name]: readEntries(schema, entries).inputs })
            setChosen(`set ${name}`)
            setNaming(false)
          }}
          onCancel={() => setNaming(false)}
        />
      )}
    </div>
  )
}

function NameSet({ onName, onCancel }: { onName(name: string): void; onCancel(): void }) {
  const [name, setName] = useState('')
  return (
    <Form id={useId()} onSubmit={() => name.trim() !== '' && onName(name.trim())}>
      <Field label="Name of the set" hint="Kept in this browser.">
        {(control) => (
          <TextInput
            {...control}
            autoFocus
            maxLength={60}
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
        )}
      </Field>
      <div className="flex gap-2">
        <Button type="submit" size="small" disabled={name.trim() === ''}>
          Save set
        </Button>
        <Button size="small" variant="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </Form>
  )
}
