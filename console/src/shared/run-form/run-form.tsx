import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { publicCall, publicExchange } from '#console/api/public-api.ts'
import type { SubmittedRun, WorkflowSchema } from '#console/api/types.ts'
import { newId } from '#console/lib/ids.ts'
import { Badge } from '#console/ui/badge.tsx'
import { Button } from '#console/ui/button.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Field } from '#console/ui/field.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { TextArea } from '#console/ui/text-area.tsx'

export type RunFormProps = {
  workflowId: number
  /** Values made elsewhere, by node: what browser nodes made. Shown, not asked for. */
  given?: Readonly<Record<string, unknown>>
  onStarted(runId: string): void
}

/** The inputs of a run, from the workflow's inputSchema, and the button that starts it. */
export function RunForm({ workflowId, given = {}, onStarted }: RunFormProps) {
  const query = useQuery({
    queryKey: ['schema', workflowId],
    queryFn: () => publicCall<WorkflowSchema>(`/workflows/${workflowId}/schema`),
  })
  return (
    <Loadable query={query} skeleton={<SkeletonRows />}>
      {({ inputSchema }) => (
        <Form
          key={workflowId}
          workflowId={workflowId}
          properties={(inputSchema.properties ?? {}) as Record<string, Property>}
          given={given}
          onStarted={onStarted}
        />
      )}
    </Loadable>
  )
}

type Property = {
  title?: string
  type?: string
  description?: string
  default?: unknown
  'x-browser-node'?: string
}
type FormProps = Required<RunFormProps> & { properties: Record<string, Property> }

function Form({ workflowId, properties, given, onStarted }: FormProps) {
  const [texts, setTexts] = useState<Record<string, string>>({})
  // Made with the form and renewed only when its content changes: a double click runs once.
  const key = useRef({ of: '', id: newId() })
  const made = Object.entries(given).filter(([id]) => id in properties)
  const inputs = { ...inputsOf(properties, texts), ...Object.fromEntries(made) }
  const run = useMutation({
    mutationFn: async () => {
      const content = JSON.stringify(inputs)
      if (key.current.of !== content) key.current = { of: content, id: newId() }
      const { data } = await publicExchange<SubmittedRun>(`/workflows/${workflowId}/runs`, {
        method: 'POST',
        headers: { 'idempotency-key': key.current.id },
        body: { inputs },
      })
      return data.runId
    },
    onSuccess: onStarted,
  })
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        run.mutate()
      }}
    >
      {Object.entries(properties).map(([id, property]) =>
        property['x-browser-node'] ? (
          <p key={id} className="flex items-center gap-2 text-sm">
            <span className="font-semibold">{property.title ?? id}</span>
            <Badge tone={id in given ? 'good' : 'warn'}>
              {id in given ? 'made in the canvas' : 'not made yet'}
            </Badge>
          </p>
        ) : (
          <Field key={id} label={property.title ?? id} hint={property.description}>
            {(control) => (
              <TextArea
                {...control}
                rows={2}
                value={texts[id] ?? ''}
                placeholder={property.default === undefined ? '' : String(property.default)}
                onChange={(event) => setTexts({ ...texts, [id]: event.currentTarget.value })}
              />
            )}
          </Field>
        ),
      )}
      {run.error && <Failure failure={toApiFailure(run.error)} title="The run did not start" />}
      <Button type="submit" variant="primary" busy={run.isPending} className="self-end">
        Run
      </Button>
    </form>
  )
}

/** Text stays text; anything else is read as JSON where it can be. */
const inputsOf = (properties: Record<string, Property>, texts: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(texts)
      .filter(([, text]) => text !== '')
      .map(([id, text]) => [id, properties[id]?.type === 'string' ? text : readJson(text)]),
  )

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
