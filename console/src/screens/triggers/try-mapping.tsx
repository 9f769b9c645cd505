import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import { Button } from '#console/ui/button.tsx'
import { Code } from '#console/ui/code.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Field } from '#console/ui/field.tsx'
import { TextArea } from '#console/ui/text-area.tsx'
import { inputsOf, type TriggerDraft } from './trigger-draft.ts'

/** Maps a sample to inputs. Nothing is started. */
export function TryMapping({ draft, workflowId }: { draft: TriggerDraft; workflowId: number }) {
  const [sample, setSample] = useState('{}')
  const body = inputsOf(sample)
  const attempt = useMutation({
    mutationFn: () =>
      consoleCall('POST /workflows/{workflowId}/triggers/try', {
        params: { workflowId },
        body: {
          mapping: draft.mapping.trim() || null,
          inputs: inputsOf(draft.inputs) ?? {},
          sample: { body },
        },
      }),
  })
  const { data } = attempt
  return (
    <div className="flex flex-col gap-2">
      <Field
        label="Send a test"
        note="never starts a run"
        problem={body ? null : 'This is not a JSON object.'}
      >
        {(control) => (
          <TextArea
            {...control}
            className="font-mono text-sm"
            value={sample}
            spellCheck={false}
            onChange={({ target }) => setSample(target.value)}
          />
        )}
      </Field>
      <div>
        <Button size="small" disabled={!body} onClick={() => attempt.mutate()}>
          Show the inputs
        </Button>
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
