import { lazy, Suspense } from 'react'
import { MediaField } from '#console/shared/media-field.tsx'
import { Field } from '#console/ui/field.tsx'
import { FieldProblem } from '#console/ui/field-problem.tsx'
import { Select } from '#console/ui/select.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { TextArea } from '#console/ui/text-area.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { type InputSchema, inputKind } from './inputs.ts'

const JsonInput = lazy(() => import('./json-input.tsx'))

type Entry = string | boolean | undefined

type InputFieldProps = {
  id: string
  schema: InputSchema
  isRequired: boolean
  entry: Entry
  problem: string | undefined
  onChange(entry: Entry): void
}

/** One input of a run, drawn according to its schema. */
export function InputField(props: InputFieldProps) {
  const { id, schema, isRequired, entry, problem, onChange } = props
  const label = schema.title ?? nameOf(id)
  const kind = inputKind(schema)
  const note = isRequired ? undefined : defaultNote(schema)
  const text = typeof entry === 'string' ? entry : ''
  if (kind === 'image' || kind === 'video' || kind === 'json')
    return (
      <section aria-label={label} className="flex min-w-0 flex-col gap-1" data-input={id}>
        <div className="flex items-baseline justify-between gap-2">
          <span className="font-semibold text-sm">{label}</span>
          <span className="text-soft text-xs">{note}</span>
        </div>
        {kind === 'json' ? (
          <Suspense fallback={<Skeleton className="h-20 w-full" />}>
            <JsonInput
              label={label}
              text={text}
              onChange={(next) => onChange(next.trim() === '' ? undefined : next)}
            />
          </Suspense>
        ) : (
          <MediaField
            label={label}
            kind={kind}
            value={text || null}
            onChange={(url) => onChange(url ?? undefined)}
          />
        )}
        {schema.description && <p className="text-soft text-xs">{schema.description}</p>}
        {problem && <FieldProblem text={problem} />}
      </section>
    )
  return (
    <div data-input={id}>
      <Field label={label} note={note} hint={schema.description} problem={problem}>
        {(control) => {
          if (kind === 'text')
            return (
              <TextArea
                {...control}
                rows={2}
                value={text}
                placeholder={placeholderOf(schema)}
                onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
              />
            )
          if (kind === 'number')
            return (
              <TextInput
                {...control}
                inputMode="decimal"
                value={text}
                placeholder={placeholderOf(schema)}
                onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
              />
            )
          return (
            <Choice
              {...control}
              values={kind === 'boolean' ? [true, false] : ((schema.enum ?? []) as string[])}
              entry={entry}
              none={isRequired ? null : (note ?? '')}
              onChange={onChange}
            />
          )
        }}
      </Field>
    </div>
  )
}

/** A readable name for an input that nobody named: "text-2" becomes "Text 2". */
const nameOf = (id: string): string =>
  id.charAt(0).toUpperCase() + id.slice(1).replaceAll(/[-_]+/g, ' ')

type ChoiceProps = {
  id: string
  values: readonly (string | boolean)[]
  entry: Entry
  /** What happens if nothing is chosen; null if a choice is required. */
  none: string | null
  onChange(entry: Entry): void
}

const leftOut = 'none'

/** Options are identified by position, because a choice may be the empty text. */
function Choice({ values, entry, none, onChange, ...control }: ChoiceProps) {
  const position = entry === undefined ? -1 : values.indexOf(entry)
  return (
    <Select
      {...control}
      options={[
        ...(none === null ? [] : [{ value: leftOut, label: 'Not chosen', note: none }]),
        ...values.map((value, index) => ({ value: String(index), label: choiceWords(value) })),
      ]}
      value={position >= 0 ? String(position) : none === null ? null : leftOut}
      onChange={(next) => onChange(next === leftOut ? undefined : values[Number(next)])}
    />
  )
}

const choiceWords = (value: string | boolean): string =>
  value === true ? 'Yes' : value === false ? 'No' : value || '(empty)'

const shortest = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text)

const defaultNote = ({ default: fallback }: InputSchema): string =>
  fallback === undefined
    ? 'optional'
    : `default: ${shortest(typeof fallback === 'boolean' ? choiceWords(fallback).toLowerCase() : typeof fallback === 'string' ? fallback : JSON.stringify(fallback))}`

const placeholderOf = ({ default: fallback, examples }: InputSchema): string => {
  const shown = fallback ?? examples?.[0]
  return shown === undefined ? '' : String(shown)
}
