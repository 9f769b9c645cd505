import { useMutation } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import type { Model } from '#console/api/types.ts'
import { useShortcut } from '#console/lib/use-shortcut.ts'
import { CodeMenu } from '#console/shared/code-menu.tsx'
import { MediaField } from '#console/shared/media-field.tsx'
import { creativePrice } from '#console/shared/model-price.ts'
import { Banner } from '#console/ui/banner.tsx'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Field } from '#console/ui/field.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Money } from '#console/ui/money.tsx'
import { Page } from '#console/ui/page.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { TextArea } from '#console/ui/text-area.tsx'
import type { PlaygroundSearch } from './address.ts'
import { creativeCode } from './as-code.ts'
import { type CreativeKind, creativeBody, fittingSettings, takesPicture } from './creative.ts'
import { CreativeFields } from './creative-fields.tsx'
import { useCreativeForm, useStart } from './creative-form.ts'
import { CreativeResult } from './creative-result.tsx'
import { MakeWorkflow } from './make-workflow.tsx'
import { ModelPicker } from './model-picker.tsx'
import { PlaygroundTabs } from './playground-tabs.tsx'
import { NeverArrived, submitCreative } from './submission.ts'
import { chosenModel, useModels } from './use-models.ts'
import { useOwner } from './use-owner.ts'

const words = {
  IMAGE: {
    title: 'Image',
    button: 'Make the image',
    placeholder: 'A lighthouse in the morning fog',
  },
  VIDEO: {
    title: 'Video',
    button: 'Make the video',
    placeholder: 'Waves at night under a full moon',
  },
}

export function CreativeScreen({ kind, search }: { kind: CreativeKind; search: PlaygroundSearch }) {
  const models = useModels([kind])
  const owner = useOwner()
  useStart(kind, owner, search)
  return (
    <Page title={words[kind].title}>
      <PlaygroundTabs />
      <Loadable
        query={models}
        skeleton={<Skeleton className="h-96 rounded-md" />}
        isEmpty={(data) => data.length === 0}
        empty={
          <Banner tone="warn" title={`No model makes ${words[kind].title.toLowerCase()}s here`} />
        }
      >
        {(data) => owner && <Workbench kind={kind} owner={owner} models={data} />}
      </Loadable>
    </Page>
  )
}

type WorkbenchProps = { kind: CreativeKind; owner: string; models: readonly Model[] }

function Workbench({ kind, owner, models }: WorkbenchProps) {
  const [{ modelId, prompt, image, settings }, change] = useCreativeForm(kind, owner)
  const [isLooking, setLooking] = useState(false)
  // Tasks that this page knows; a task whose answer was lost is not among them.
  const known = useRef(new Set<string>())
  const model = chosenModel(models, modelId)
  const submit = useMutation({
    // A write that waits for the network would be sent later, unnoticed: this one fails at once
    // instead.
    networkMode: 'always',
    mutationFn: (request: Parameters<typeof submitCreative>[1]) =>
      submitCreative(kind, request, { known: known.current, onLost: () => setLooking(true) }),
    onSuccess: ({ taskId }) => known.current.add(taskId),
    onSettled: () => setLooking(false),
  })
  if (!model) return null
  const request = {
    model: model.id,
    prompt,
    settings: fittingSettings(model, settings),
    ...(image && takesPicture(model) ? { image } : {}),
  }
  const canSend = prompt.trim() !== '' && !submit.isPending
  const send = () => canSend && submit.mutate(request)
  const price = creativePrice(model, request.settings)
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      <Card>
        <form
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault()
            send()
          }}
        >
          <ModelPicker models={models} model={model} onChange={(id) => change({ modelId: id })} />
          <Field label="Prompt">
            {(control) => (
              <TextArea
                {...control}
                className="min-h-28"
                value={prompt}
                placeholder={words[kind].placeholder}
                onChange={({ target }) => change({ prompt: target.value })}
              />
            )}
          </Field>
          {takesPicture(model) && (
            <MediaField
              label="Reference picture"
              kind="image"
              value={image}
              onChange={(url) => change({ image: url })}
            />
          )}
          <CreativeFields
            model={model}
            settings={settings}
            onChange={(chosen) => change({ settings: chosen })}
          />
          <SendKeys onSend={send} />
          <div className="flex flex-wrap items-center justify-between gap-3">
            <span className="text-soft text-sm">
              Costs <Money value={price} />
            </span>
            <Button type="submit" variant="primary" disabled={!canSend} busy={submit.isPending}>
              {words[kind].button}
            </Button>
          </div>
        </form>
        <div className="mt-4 flex flex-wrap gap-2 border-line border-t pt-4">
          <CodeMenu
            {...creativeCode(location.origin, kind, creativeBody(request))}
            clientName="JavaScript"
          />
          <MakeWorkflow kind={kind} request={request} />
        </div>
      </Card>
      <div className="flex min-w-0 flex-col gap-4" aria-live="polite">
        {isLooking && (
          <Banner tone="warn" title="The answer was lost">
            Looking for the task among those the server has. Nothing is sent again, so nothing is
            paid twice.
          </Banner>
        )}
        {submit.error && <SubmitFailure error={submit.error} onAgain={send} />}
        {submit.data?.wasLost && (
          <Banner tone="info" title="Found it">
            The answer was lost, but the task had arrived.
          </Banner>
        )}
        <CreativeResult kind={kind} taskId={submit.data?.taskId ?? null} />
      </div>
    </div>
  )
}

function SendKeys({ onSend }: { onSend(): void }) {
  useShortcut('Mod+Enter', 'Send', onSend)
  return null
}

function SubmitFailure({ error, onAgain }: { error: Error; onAgain(): void }) {
  if (error instanceof NeverArrived)
    return (
      <Banner
        tone="warn"
        title="The request did not arrive"
        actions={
          <Button size="small" onClick={onAgain}>
            Send again
          </Button>
        }
      >
        The server has no such task, so nothing was made and nothing is billed.
      </Banner>
    )
  return <Failure failure={toApiFailure(error)} title="The request failed" />
}

const imageRoute = getRouteApi('/framed/playground/image')
const videoRoute = getRouteApi('/framed/playground/video')

export const ImageScreen = () => <CreativeScreen kind="IMAGE" search={imageRoute.useSearch()} />
export const VideoScreen = () => <CreativeScreen kind="VIDEO" search={videoRoute.useSearch()} />
