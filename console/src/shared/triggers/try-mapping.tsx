import { useMutation } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import type { Trigger, TriggerSample } from '#console/api/types.ts'
import { readJson } from '#console/shared/run-form/inputs.ts'
import { Button } from '#console/ui/button.tsx'
import { Code } from '#console/ui/code.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Field } from '#console/ui/field.tsx'
import { TextArea } from '#console/ui/text-area.tsx'
import { Listen } from './listen.tsx'
import type { TriggerDraft } from './trigger-draft.ts'
import { useTemplate } from './use-template.ts'

type TryMappingProps = {
  draft: TriggerDraft
  workflowId: number
  trigger: Trigger | undefined
}

type Sample = Pick<TriggerSample, 'headers' | 'query'>

/** Maps a sample to inputs: one that is typed, that of a template, or the next real request. */
export function TryMapping({ draft, workflowId, trigger }: TryMappingProps) {
  const [text, setText] = useState('{}')
  const [rest, setRest] = useState<Sample>({ headers: {}, query: {} })
  const example = useTemplate(workflowId)?.trigger?.sample
  const read = readJson(text)
  const isRight = read !== null && 'value' in read
  const attempt = useMutation({
    mutationFn: () =>
      consoleCall('POST /workflows/{workflowId}/triggers/try', {
        params: { workflowId },
        body: {
          mapping: draft.mapping.trim() || null,
          inputs: { ...draft.inputs },
          sample: { body: isRight ? read.value : null, ...rest },
        },
      }),
  })
  const show = useCallback(({ body, headers, query }: Pick<TriggerSample, 'body'> & Sample) => {
    setText(JSON.stringify(body, null, 2))
    setRest({ headers, query })
  }, [])
  const { data } = attempt
  return (
    <div className="flex flex-col gap-2">
      {trigger && <Listen trigger={trigger} onSample={show} />}
      <Field
        label="Send a test"
        note="never starts a run"
        hint="The body of a request, as JSON."
        problem={isRight ? null : 'This is not JSON.'}
      >
        {(control) => (
          <TextArea
            {...control}
            className="font-mono text-sm"
            value={text}
            spellCheck={false}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button size="small" disabled={!isRight} onClick={() => attempt.mutate()}>
          Show the inputs
        </Button>
        {example && (
          <Button
            size="small"
            variant="quiet"
            onClick={() => show({ ...example, query: {} } as Parameters<typeof show>[0])}
          >
            Use an example
          </Button>
        )}
      </div>
      <div aria-live="polite">
        {attempt.error && <Failure failure={toApiFailure(attempt.error)} />}
        {data?.inputs && <Code label="inputs" text={JSON.stringify(data.inputs, null, 2)} />}
        {data && (
          <p className={data.problem ? 'mt-1 text-bad text-sm' : 'mt-1 text-good text-sm'}>
            {data.problem ?? 'A run would start with these.'}
          </p>
        )}
      </div>
    </div>
  )
}
