import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import { publicCall } from '#console/api/public-api.ts'
import type { AcceptedTask, ModelList } from '#console/api/types.ts'
import { usePolled } from '#console/api/use-polled.ts'
import { TaskStatus } from '#console/shared/task-status.tsx'
import { Button } from '#console/ui/button.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Field } from '#console/ui/field.tsx'
import { Money } from '#console/ui/money.tsx'
import { TextArea } from '#console/ui/text-area.tsx'
import { Thumbnail } from '#console/ui/thumbnail.tsx'
import { type FirstStepProps, Step } from './step.tsx'

const samplePrompt = 'A lighthouse on a cliff at dusk, warm light, calm sea'

export function ImageStep({ isDone, isNext, isFolded }: FirstStepProps) {
  const [prompt, setPrompt] = useState(samplePrompt)
  const models = useQuery({
    queryKey: ['models'],
    queryFn: ({ signal }) => publicCall<ModelList>('/models', { signal }),
    staleTime: 60_000,
  })
  const images = models.data?.items.filter(({ kind }) => kind === 'IMAGE')
  const model = images?.find(({ demo }) => demo) ?? images?.[0]
  const make = useMutation({
    mutationFn: () =>
      publicCall<AcceptedTask>('/images/generations', {
        method: 'POST',
        body: { model: model?.id, messages: [{ role: 'user', content: prompt }] },
      }),
  })
  const failure = make.error ? toApiFailure(make.error) : null
  return (
    <Step number={1} title="Make an image" {...{ isDone, isFolded }}>
      {failure && (
        <Failure failure={{ ...failure, message: failure.message, retryable: false }}>
          {failure.isUnreachable &&
            'The image may have been started anyway: check the tasks before you try again.'}
        </Failure>
      )}
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          make.mutate()
        }}
      >
        <Field label="Describe the image">
          {(control) => (
            <TextArea
              {...control}
              rows={2}
              value={prompt}
              onChange={(event) => setPrompt(event.target.value)}
            />
          )}
        </Field>
        <div className="flex flex-wrap items-center gap-3">
          <Button
            type="submit"
            variant={isNext ? 'primary' : 'secondary'}
            busy={make.isPending}
            disabled={!model || prompt.trim() === ''}
          >
            Make the image
          </Button>
          {model && (
            <span className="text-soft text-sm">
              {model.name},{' '}
              {model.pricing?.perImage ? (
                <Money
                  value={{ amount: model.pricing.perImage, currency: model.pricing.currency }}
                />
              ) : (
                'free'
              )}
            </span>
          )}
        </div>
      </form>
      {make.data && (
        <ImageResult key={make.data.taskId} taskId={make.data.taskId} prompt={prompt} />
      )}
    </Step>
  )
}

function ImageResult({ taskId, prompt }: { taskId: string; prompt: string }) {
  const client = useQueryClient()
  const task = usePolled({
    queryKey: ['task', taskId],
    read: (signal) => consoleCall('GET /tasks/{taskId}', { params: { taskId }, signal }),
    retryAfterSeconds: (data) => data.retryAfterSeconds,
    isWatched: true,
  })
  const status = task.data?.status
  useEffect(() => {
    if (status === 'COMPLETED') void client.invalidateQueries({ queryKey: ['tasks'] })
  }, [status, client])
  const [image] = task.data?.imageContent ?? []
  return (
    <div className="flex flex-col gap-2" aria-live="polite">
      <div className="flex items-center gap-4">
        <TaskStatus status={status ?? 'QUEUED'} />
        <Link to="/tasks/$taskId" params={{ taskId }} className="text-accent text-sm underline">
          Show the task
        </Link>
      </div>
      {task.data?.error && <Failure failure={task.data.error} />}
      {image && (
        <Thumbnail
          src={image.url}
          width={image.width}
          height={image.height}
          alt={prompt}
          className="h-auto max-h-80 w-auto max-w-full self-start rounded-md"
        />
      )}
    </div>
  )
}
