import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { FilledNote } from '#console/shared/run-form/filled-note.tsx'
import { InputField } from '#console/shared/run-form/input-field.tsx'
import {
  type Entries,
  type InputsSchema,
  readEntries,
  toEntry,
} from '#console/shared/run-form/inputs.ts'
import { readStart } from '#console/shared/run-form/start-values.ts'
import { FieldProblem } from '#console/ui/field-problem.tsx'
import type { Problems } from './trigger-draft.ts'

type Values = Readonly<Record<string, unknown>>

type InputFieldsProps = {
  workflowId: string | null
  values: Values
  hasWrongInput: boolean
  problems: Problems
  /** Whether to begin with the inputs of the last run, or with samples. */
  fill: 'from-last' | 'as-given'
  onChange(values: Values, hasWrongInput: boolean): void
}

/** The inputs of each run, drawn according to the schema of the workflow. */
export function InputFields({ workflowId, fill, ...props }: InputFieldsProps) {
  const { data } = useQuery({
    queryKey: ['triggers', 'inputs', workflowId, fill],
    queryFn: () => readStart(Number(workflowId), fill === 'as-given' ? props.values : undefined),
    enabled: workflowId !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (!data) return null
  if (Object.keys(data.schema.properties ?? {}).length === 0) {
    return <p className="text-soft text-sm">This workflow has no inputs.</p>
  }
  return <Fields key={workflowId} {...data} {...props} given={data.values} />
}

type FieldsProps = Omit<InputFieldsProps, 'workflowId' | 'fill'> & {
  schema: InputsSchema
  from: 'last run' | 'sample' | null
  given: Values
}

function Fields(props: FieldsProps) {
  const { schema, from, given, values, hasWrongInput, problems, onChange } = props
  const properties = Object.entries(schema.properties ?? {})
  const [entries, setEntries] = useState<Entries>(() =>
    Object.fromEntries(properties.map(([id, one]) => [id, toEntry(one, given[id])])),
  )
  const read = readEntries(schema, entries)
  const written = JSON.stringify(read.inputs)
  const isWrong = Object.keys(read.problems).length > 0
  // The values of the draft follow the fields, also those that were filled in.
  useEffect(() => {
    const isSame = JSON.stringify(values) === written && hasWrongInput === isWrong
    if (!isSame) onChange(JSON.parse(written), isWrong)
  }, [written, values, isWrong, hasWrongInput, onChange])
  return (
    <>
      <FilledNote from={from} entries={entries} onClear={() => setEntries({})} />
      {properties.map(([id, one]) => (
        <InputField
          key={id}
          id={id}
          schema={one}
          isRequired={schema.required?.includes(id) ?? false}
          entry={entries[id]}
          problem={read.problems[id] ?? problems[`inputs.${id}`]}
          onChange={(entry) => setEntries((before) => ({ ...before, [id]: entry }))}
        />
      ))}
      {problems.inputs && <FieldProblem text={problems.inputs} />}
    </>
  )
}
