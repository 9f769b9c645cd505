import { Play } from 'lucide-react'
import { useRef } from 'react'
import { Badge } from '#console/ui/badge.tsx'
import { Button } from '#console/ui/button.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { FilledNote } from './filled-note.tsx'
import { InputField } from './input-field.tsx'
import type { InputSchema } from './inputs.ts'
import { MoreFields } from './more-fields.tsx'
import { RunEstimate } from './run-estimate.tsx'
import type { StartValues } from './start-values.ts'
import { type RunFormOptions, useRunForm } from './use-run-form.ts'

type RunFieldsProps = RunFormOptions & {
  /** Where the initial values came from, if that should be said. */
  from: StartValues['from']
  /** On the button, if not just "Run". */
  label?: string
  /** Beside the button: what else it does. */
  note?: string
}

/** The fields of a run, its estimate, and the button that starts it. */
export function RunFields({ from, label = 'Run', note, ...props }: RunFieldsProps) {
  const { schema, source } = props
  const element = useRef<HTMLFormElement>(null)
  const form = useRunForm(props)
  const submit = () => {
    const blocked = form.submit()
    if (blocked !== null) focusInput(element.current, blocked)
  }
  const properties = Object.entries(schema.properties ?? {})
  return (
    <form
      ref={element}
      noValidate
      aria-label="Inputs of the run"
      data-run-form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
        event.preventDefault()
        submit()
      }}
    >
      <FilledNote from={from} entries={form.entries} onClear={form.clear} />
      {properties.length === 0 && <p className="text-soft">This workflow has no inputs.</p>}
      {properties.map(([id, property]) =>
        property['x-browser-node'] ? (
          <MadeInput key={id} id={id} schema={property} isMade={Object.hasOwn(form.inputs, id)} />
        ) : (
          <InputField
            key={id}
            id={id}
            schema={property}
            isRequired={schema.required?.includes(id) ?? false}
            entry={form.entries[id]}
            problem={form.problems[id]}
            onChange={(entry) => form.setEntry(id, entry)}
          />
        ),
      )}
      <MoreFields
        entries={form.more}
        problems={form.moreProblems}
        currency={form.estimate.data?.currency}
        onChange={form.setMore}
      />
      {form.failure && (
        <Failure failure={form.failure} title="The run did not start" onRetry={submit} />
      )}
      <div className="flex flex-wrap items-start justify-between gap-3 border-line border-t pt-4">
        <RunEstimate source={source} estimate={form.estimate.data} failed={form.estimate.isError} />
        <Button
          type="submit"
          variant="primary"
          busy={form.run.isPending}
          icon={<Play size={16} aria-hidden />}
          className="ml-auto"
        >
          {form.run.isPaused ? 'Waiting for the server' : label}
        </Button>
        {note && <p className="w-full text-soft text-xs">{note}</p>}
      </div>
    </form>
  )
}

type MadeInputProps = { id: string; schema: InputSchema; isMade: boolean }

const MadeInput = ({ id, schema, isMade }: MadeInputProps) => (
  <p className="flex items-center gap-2 text-sm">
    <span className="font-semibold">{schema.title ?? id}</span>
    <Badge tone={isMade ? 'good' : 'warn'}>{isMade ? 'made on the canvas' : 'not made yet'}</Badge>
  </p>
)

function focusInput(form: HTMLFormElement | null, id: string): void {
  const field = form?.querySelector(`[data-input="${CSS.escape(id)}"]`)
  field?.querySelector<HTMLElement>('textarea, input:not([hidden]), button')?.focus()
  field?.scrollIntoView({ block: 'nearest' })
}
