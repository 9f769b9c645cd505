import type { Trigger } from '#console/api/types.ts'
import { Field } from '#console/ui/field.tsx'
import { TextArea } from '#console/ui/text-area.tsx'
import { problemIn } from './trigger-body.ts'
import type { DraftProps } from './trigger-draft.ts'
import { TryMapping } from './try-mapping.tsx'
import { VerifyFields } from './verify-fields.tsx'

/** `trigger` is the one that is changed: a new one has no address to listen at yet. */
export function WebhookFields(props: DraftProps & { trigger: Trigger | undefined }) {
  const { draft, problems, onChange, trigger } = props
  return (
    <>
      <VerifyFields {...props} />
      <Field
        label="Mapping"
        note="JSONata, optional"
        hint="From {body, headers, query} to inputs. Left empty: members of the body named like inputs."
        problem={problemIn(problems, 'mapping')}
      >
        {(control) => (
          <TextArea
            {...control}
            className="font-mono text-sm"
            value={draft.mapping}
            placeholder='{ "subject": body.issue.title }'
            spellCheck={false}
            onChange={({ target }) => onChange({ mapping: target.value })}
          />
        )}
      </Field>
      {draft.workflowId && (
        <TryMapping draft={draft} workflowId={Number(draft.workflowId)} trigger={trigger} />
      )}
    </>
  )
}
