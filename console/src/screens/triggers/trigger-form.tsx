import { useQuery } from '@tanstack/react-query'
import { Combobox } from '#console/ui/combobox.tsx'
import { Field } from '#console/ui/field.tsx'
import { Select } from '#console/ui/select.tsx'
import { TextArea } from '#console/ui/text-area.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { listWorkflowNames } from './calls.ts'
import { kindWords } from './firing-words.ts'
import { ScheduleFields } from './schedule-fields.tsx'
import type { DraftProps, TriggerDraft } from './trigger-draft.ts'
import { WebhookFields } from './webhook-fields.tsx'

const kinds = (['SCHEDULE', 'ONCE', 'WEBHOOK'] as const).map((value) => ({
  value,
  label: kindWords[value],
}))

const overlaps = [
  { value: 'allow', label: 'Start another run' },
  { value: 'skip', label: 'Skip it' },
  { value: 'queue', label: 'Start it afterwards' },
] as const

export function TriggerForm({ isNew, ...props }: DraftProps & { isNew: boolean }) {
  const { draft, problems, onChange } = props
  const set = (change: Partial<TriggerDraft>) => onChange({ ...draft, ...change })
  const workflows = useQuery({
    queryKey: ['workflows', 'names'],
    queryFn: ({ signal }) => listWorkflowNames(signal),
  })
  const options = (workflows.data ?? []).map(({ id, name }) => ({
    value: String(id),
    label: name,
    note: `#${id}`,
  }))
  return (
    <>
      <Field label="Name" problem={problems.name}>
        {(control) => (
          <TextInput
            {...control}
            value={draft.name}
            maxLength={200}
            onChange={({ target }) => set({ name: target.value })}
          />
        )}
      </Field>
      {isNew && (
        <>
          <Field label="Workflow" problem={problems.workflowId}>
            {(control) => (
              <Combobox
                {...control}
                options={options}
                value={draft.workflowId}
                placeholder="Type to find one"
                onChange={(workflowId) => set({ workflowId })}
              />
            )}
          </Field>
          <Field label="Starts runs">
            {(control) => (
              <Select
                {...control}
                options={kinds}
                value={draft.kind}
                onChange={(kind) => set({ kind })}
              />
            )}
          </Field>
        </>
      )}
      {draft.kind === 'SCHEDULE' && <ScheduleFields {...props} />}
      {draft.kind === 'ONCE' && (
        <Field label="At" note="your local time" problem={problems.at}>
          {(control) => (
            <TextInput
              {...control}
              type="datetime-local"
              value={draft.at}
              onChange={({ target }) => set({ at: target.value })}
            />
          )}
        </Field>
      )}
      {draft.kind === 'WEBHOOK' && <WebhookFields {...props} />}
      <Field
        label="Inputs"
        note="JSON"
        hint="Of each run, keyed by input node ID."
        problem={problems.inputs}
      >
        {(control) => (
          <TextArea
            {...control}
            className="font-mono text-sm"
            value={draft.inputs}
            spellCheck={false}
            onChange={({ target }) => set({ inputs: target.value })}
          />
        )}
      </Field>
      <Field label="While the run before has not ended">
        {(control) => (
          <Select
            {...control}
            options={overlaps}
            value={draft.overlap}
            onChange={(overlap) => set({ overlap })}
          />
        )}
      </Field>
    </>
  )
}
