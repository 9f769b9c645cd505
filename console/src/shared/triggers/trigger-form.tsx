import type { Trigger } from '#console/api/types.ts'
import WorkflowSelect from '#console/shared/workflow-select.tsx'
import { Field } from '#console/ui/field.tsx'
import { ChoiceSetting } from './choice-setting.tsx'
import { kindWords } from './firing-words.ts'
import { InputFields } from './input-fields.tsx'
import { MoreFields } from './more-fields.tsx'
import { ScheduleFields } from './schedule-fields.tsx'
import { TextSetting } from './text-setting.tsx'
import { type DraftProps, defaultName } from './trigger-draft.ts'
import { WebhookFields } from './webhook-fields.tsx'

const kinds = (['SCHEDULE', 'ONCE', 'WEBHOOK'] as const).map((value) => ({
  value,
  label: kindWords[value],
}))

type TriggerFormProps = DraftProps & {
  /** The trigger that is changed; absent for a new one. */
  trigger: Trigger | undefined
  /** Whether it was chosen elsewhere whose trigger this is. */
  hasWorkflow: boolean
}

/** What most triggers need, and the rest of their settings folded below. */
export function TriggerForm({ trigger, hasWorkflow, ...props }: TriggerFormProps) {
  const { draft, problems, onChange } = props
  return (
    <>
      {trigger === undefined && !hasWorkflow && (
        <Field label="Workflow" problem={problems.workflowId}>
          {(control) => (
            <WorkflowSelect
              {...control}
              value={draft.workflowId === null ? null : Number(draft.workflowId)}
              onChange={(id) =>
                onChange({ workflowId: String(id), inputs: {}, hasWrongInput: false })
              }
            />
          )}
        </Field>
      )}
      {trigger === undefined && (
        <ChoiceSetting
          label="Starts runs"
          options={kinds}
          value={draft.kind}
          onChange={(kind) => onChange({ kind, inputs: {}, hasWrongInput: false })}
        />
      )}
      {draft.kind === 'SCHEDULE' && <ScheduleFields {...props} />}
      {draft.kind === 'ONCE' && (
        <TextSetting {...props} name="at" label="At" note="your local time" type="datetime-local" />
      )}
      {draft.kind === 'WEBHOOK' && <WebhookFields {...props} trigger={trigger} />}
      <TextSetting {...props} name="name" label="Name" placeholder={defaultName(draft)} />
      {draft.kind !== 'WEBHOOK' && draft.workflowId !== null && (
        <section aria-label="Inputs" className="flex flex-col gap-4 border-line border-t pt-4">
          <h3 className="font-semibold">Inputs of each run</h3>
          <InputFields
            workflowId={draft.workflowId}
            values={draft.inputs}
            hasWrongInput={draft.hasWrongInput}
            problems={problems}
            fill={trigger ? 'as-given' : 'from-last'}
            onChange={(inputs, hasWrongInput) => onChange({ inputs, hasWrongInput })}
          />
        </section>
      )}
      <MoreFields {...props} />
    </>
  )
}
