import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { consoleCall } from '#console/api/console-api.ts'
import { Field } from '#console/ui/field.tsx'
import { Select } from '#console/ui/select.tsx'
import { TextArea } from '#console/ui/text-area.tsx'
import type { DraftProps, TriggerDraft } from './trigger-draft.ts'
import { TryMapping } from './try-mapping.tsx'

const senders = [
  { value: 'none', label: 'Whoever knows the address' },
  { value: 'github', label: 'GitHub' },
  { value: 'slack', label: 'Slack' },
  { value: 'stripe', label: 'Stripe' },
  { value: 'standard-webhooks', label: 'Standard Webhooks' },
  { value: 'bearer', label: 'Bearer token' },
] as const

const answers = [
  { value: 'accepted', label: 'Once the run is stored' },
  { value: 'result', label: 'With the result, within 25 seconds' },
] as const

export function WebhookFields({ draft, problems, onChange }: DraftProps) {
  const set = (change: Partial<TriggerDraft>) => onChange({ ...draft, ...change })
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Sender">
          {(control) => (
            <Select
              {...control}
              options={senders}
              value={draft.method as (typeof senders)[number]['value']}
              onChange={(method) => set({ method })}
            />
          )}
        </Field>
        {draft.method !== 'none' && (
          <SecretField
            value={draft.credential}
            problem={problems.credential}
            onChange={(credential) => set({ credential })}
          />
        )}
        <Field label="Answer">
          {(control) => (
            <Select
              {...control}
              options={answers}
              value={draft.respond}
              onChange={(respond) => set({ respond })}
            />
          )}
        </Field>
      </div>
      <Field
        label="Mapping"
        note="JSONata, optional"
        hint="From {body, headers, query} to inputs. Left empty: members of the body named like inputs."
        problem={problems.mapping}
      >
        {(control) => (
          <TextArea
            {...control}
            className="font-mono text-sm"
            value={draft.mapping}
            placeholder='{ "subject": body.issue.title }'
            spellCheck={false}
            onChange={({ target }) => set({ mapping: target.value })}
          />
        )}
      </Field>
      {draft.workflowId && <TryMapping draft={draft} workflowId={Number(draft.workflowId)} />}
    </>
  )
}

type SecretFieldProps = {
  value: string
  problem: string | undefined
  onChange(name: string): void
}

function SecretField({ value, problem, onChange }: SecretFieldProps) {
  const { data } = useQuery({
    queryKey: ['credentials'],
    queryFn: async ({ signal }) => (await consoleCall('GET /credentials', { signal })).items,
  })
  const options = (data ?? []).map(({ name }) => ({ value: name, label: name }))
  return (
    <Field
      label="Secret"
      problem={problem}
      hint={
        <>
          A stored credential. <Link to="/developer/credentials">Store one</Link>
        </>
      }
    >
      {(control) => (
        <Select {...control} options={options} value={value || null} onChange={onChange} />
      )}
    </Field>
  )
}
