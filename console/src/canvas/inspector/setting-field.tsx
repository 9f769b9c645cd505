import { lazy, Suspense, useId, useState } from 'react'
import { useView } from '#console/canvas/context.ts'
import { Button } from '#console/ui/button.tsx'
import { type ControlProps, Field } from '#console/ui/field.tsx'
import { FieldProblem } from '#console/ui/field-problem.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { Switch } from '#console/ui/switch.tsx'
import { TextArea } from '#console/ui/text-area.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import type { CodeFieldProps } from './code-field.tsx'
import { defaultText, type SettingKind, type SettingSchema, wordsIn } from './setting-kind.ts'

// A node needs only some of these; they are loaded when its form shows them.
const CodeField = lazy(() => import('./code-field.tsx'))
const CredentialSelect = lazy(() => import('./credential-select.tsx'))
const ModelSelect = lazy(() => import('#console/shared/model-select.tsx'))
const WorkflowSelect = lazy(() => import('#console/shared/workflow-select.tsx'))
const Select = lazy(async () => ({ default: (await import('#console/ui/select.tsx')).Select }))

type SettingFieldProps = {
  label: string
  schema: SettingSchema
  kind: Exclude<SettingKind, { kind: 'group' }>
  value: unknown
  onChange(value: unknown): void
  required: boolean
  problem: string | null
  modelKinds: readonly string[]
  /** For code: the values to try it on, and the names it may use. */
  code: Pick<CodeFieldProps, 'names' | 'tryOn'>
}

/** One setting: its default, its problem and the control that its schema asks for. */
export function SettingField(props: SettingFieldProps) {
  const { label, schema, kind, value, onChange, required, problem, modelKinds, code } = props
  const codeId = useId()
  const fallback = defaultText(schema)
  const hint = schema.description
  const note = required ? undefined : fallback === null ? 'optional' : `default: ${fallback}`
  if (kind.kind === 'switch') {
    return (
      <div>
        <Switch
          label={label}
          checked={Boolean(value ?? schema.default ?? false)}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        {hint && <p className="text-soft text-xs">{hint}</p>}
        {problem && <FieldProblem id={codeId} text={problem} />}
      </div>
    )
  }
  if (kind.kind === 'code') {
    const field = { label, language: kind.language, value, onChange, hint, problem, ...code }
    return kind.language === 'json' ? <JsonField {...field} note={note} /> : <Editor {...field} />
  }
  return (
    <Field label={label} note={note} hint={hint} problem={problem}>
      {(control) => (
        <Suspense fallback={<Skeleton className="h-9 w-full" />}>
          <Control {...control} {...{ kind, value, onChange, schema, modelKinds }} />
        </Suspense>
      )}
    </Field>
  )
}

const Editor = (props: CodeFieldProps) => (
  <Suspense fallback={<Skeleton className="h-24 w-full" />}>
    <CodeField {...props} />
  </Suspense>
)

/** Most JSON settings stay unset, so an editor opens only for those that are set. */
function JsonField({ note, ...props }: CodeFieldProps & { note: string | undefined }) {
  const { label, value, hint, problem } = props
  const [isOpen, setOpen] = useState(value !== undefined)
  const [wasAsked, setAsked] = useState(false)
  const problemId = useId()
  // A value set by undo or from elsewhere is shown too; once open, the editor stays open while
  // typing.
  if (!isOpen && value !== undefined) setOpen(true)
  if (isOpen) return <Editor {...props} takesFocus={wasAsked} />
  return (
    <div className="flex flex-col items-start gap-1">
      <div className="flex w-full items-baseline justify-between">
        <span className="font-semibold text-sm">{label}</span>
        <span className="text-soft text-xs">{note ?? 'JSON'}</span>
      </div>
      <Button
        size="small"
        aria-label={`Set ${label}`}
        onClick={() => {
          setAsked(true)
          setOpen(true)
        }}
      >
        Set
      </Button>
      {hint && <p className="text-soft text-xs">{hint}</p>}
      {problem && <FieldProblem id={problemId} text={problem} />}
    </div>
  )
}

type FieldControlProps = ControlProps &
  Pick<SettingFieldProps, 'value' | 'onChange' | 'schema' | 'modelKinds'> & {
    kind: Exclude<SettingKind, { kind: 'group' | 'code' | 'switch' }>
  }

function Control(props: FieldControlProps) {
  const { kind, value, onChange, schema, modelKinds, ...control } = props
  const fallback = defaultText(schema)
  const text = {
    ...control,
    value: asText(value),
    placeholder: fallback ?? '',
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange(event.currentTarget.value || undefined),
  }
  switch (kind.kind) {
    case 'model':
      return <ModelSetting {...control} {...{ value, onChange, modelKinds }} />
    case 'workflow':
      return (
        <WorkflowSelect
          {...control}
          value={typeof value === 'number' ? value : null}
          onChange={onChange}
        />
      )
    case 'credential':
      return <CredentialSelect {...control} {...{ value, onChange, purpose: kind }} />
    case 'choice':
      return (
        <Select
          {...control}
          options={[
            ...(kind.optional ? [{ value: '', label: 'Model’s default' }] : []),
            ...kind.choices.map((choice) => ({ value: String(choice), label: String(choice) })),
          ]}
          value={value === undefined ? (fallback ?? (kind.optional ? '' : null)) : String(value)}
          onChange={(chosen) => onChange(kind.choices.find((choice) => String(choice) === chosen))}
        />
      )
    case 'number':
      return <NumberInput {...control} {...{ value, onChange, kind, schema }} />
    case 'line':
      return <TextInput {...text} />
    case 'words':
      return <WordsInput {...control} {...{ value, onChange }} />
    case 'text':
      return <TextArea {...text} />
    default:
      return kind satisfies never
  }
}

const asText = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : typeof value === 'string'
      ? value
      : JSON.stringify(value)

/** What is typed stays as it is, while the setting is the list of its words. */
function WordsInput({ value, onChange, ...control }: OwnControl) {
  const [typed, setTyped] = useState('')
  const words = Array.isArray(value) ? value.map(asText) : []
  const isTyped = wordsIn(typed).join() === words.join()
  return (
    <TextInput
      {...control}
      value={isTyped ? typed : words.join(', ')}
      onChange={({ currentTarget }) => {
        const given = wordsIn(currentTarget.value)
        setTyped(currentTarget.value)
        onChange(given.length === 0 ? undefined : given)
      }}
    />
  )
}

type OwnControl = { value: unknown; onChange(value: unknown): void; id?: string }

function NumberInput({
  value,
  onChange,
  kind,
  schema,
  ...control
}: OwnControl & { kind: { whole: boolean }; schema: SettingSchema }) {
  return (
    <TextInput
      {...control}
      type="number"
      step={kind.whole ? 1 : 'any'}
      min={schema.minimum}
      max={schema.maximum}
      value={typeof value === 'number' ? value : ''}
      placeholder={defaultText(schema) ?? ''}
      onChange={({ currentTarget: { valueAsNumber } }) =>
        onChange(Number.isNaN(valueAsNumber) ? undefined : valueAsNumber)
      }
    />
  )
}

function ModelSetting({
  value,
  onChange,
  modelKinds,
  ...control
}: OwnControl & { modelKinds: readonly string[] }) {
  const models = useView((state) => state.models)
  return (
    <ModelSelect
      {...control}
      models={models.filter((model) => modelKinds.includes(model.kind))}
      kinds={modelKinds}
      value={typeof value === 'string' ? value : null}
      onChange={onChange}
      placeholder="Choose a model"
      mayLackKey
    />
  )
}
