import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import type { Model } from '#console/api/types.ts'
import { useOwner } from '#console/api/use-owner.ts'
import { Banner } from '#console/ui/banner.tsx'
import { Button } from '#console/ui/button.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Page } from '#console/ui/page.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import type { PlaygroundSearch } from './address.ts'
import {
  type CreativeKind,
  fittingSettings,
  readSeed,
  takesMask,
  takesPicture,
  takesSeed,
} from './creative.ts'
import { CreativeCompare } from './creative-compare.tsx'
import { type CreativeForm, useCreativeForm, useStart } from './creative-form.ts'
import { CreativeFormCard } from './creative-form-card.tsx'
import { CreativeResult } from './creative-result.tsx'
import { CreativeStrip } from './creative-strip.tsx'
import { PlaygroundLinks } from './playground-links.tsx'
import { NeverArrived } from './submission.ts'
import { useCreation } from './use-creation.ts'
import { chosenModel, useModels } from './use-models.ts'

const words = {
  IMAGE: {
    title: 'Image',
    one: 'Make the image',
    many: 'images',
    placeholder: 'A lighthouse in the morning fog',
  },
  VIDEO: {
    title: 'Video',
    one: 'Make the video',
    many: 'videos',
    placeholder: 'Waves at night under a full moon',
  },
}

export function CreativeScreen({ kind, search }: { kind: CreativeKind; search: PlaygroundSearch }) {
  const models = useModels([kind])
  const owner = useOwner()
  useStart(kind, owner, search)
  return (
    <>
      <PlaygroundLinks />
      <Page title={words[kind].title}>
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
    </>
  )
}

type WorkbenchProps = { kind: CreativeKind; owner: string; models: readonly Model[] }

/** The form, and beside it what it made: the newest, or two, above all of this session. */
function Workbench({ kind, owner, models }: WorkbenchProps) {
  const [form, change] = useCreativeForm(kind, owner)
  const creation = useCreation(kind, owner)
  const [secondId, setSecond] = useState<string | null>(null)
  const { submit, strip, shownId } = creation
  const model = chosenModel(models, form.modelId)
  if (!model) return null
  const request = requestOf(model, form)
  const canSend = form.prompt.trim() !== '' && !submit.isPending && readSeed(form.seed) !== null
  const send = () => {
    if (!canSend) return
    setSecond(null)
    submit.mutate({ request, count: form.count })
  }
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[400px_minmax(0,1fr)]">
      <CreativeFormCard
        {...{ kind, owner, models, model, form, request, canSend }}
        words={words[kind]}
        prompts={creation.prompts}
        isSending={submit.isPending}
        onChange={change}
        onSend={send}
      />
      <div className="flex min-w-0 flex-col gap-4">
        <div className="flex flex-col gap-4 empty:-mb-4" aria-live="polite">
          <SubmissionNotes {...creation} onAgain={send} />
        </div>
        {secondId && shownId ? (
          <CreativeCompare kind={kind} firstId={shownId} secondId={secondId} />
        ) : (
          <CreativeResult
            kind={kind}
            taskId={shownId}
            onUse={(image) => change({ image })}
            onSeed={takesSeed(model) ? (seed) => change({ seed: String(seed) }) : undefined}
          />
        )}
        <CreativeStrip
          {...{ shownId, secondId }}
          taskIds={strip}
          onChoose={secondId === null ? creation.show : setSecond}
          onCompare={(isOn) => setSecond(isOn ? otherOf(strip, shownId) : null)}
          onClear={creation.clear}
        />
      </div>
    </div>
  )
}

const otherOf = (strip: readonly string[], shownId: string | null): string | null =>
  strip.find((id) => id !== shownId) ?? null

const requestOf = (model: Model, { prompt, image, mask, settings, seed }: CreativeForm) => ({
  model: model.id,
  prompt,
  settings: fittingSettings(model, settings),
  ...(image && takesPicture(model) ? { image } : {}),
  ...(image && mask && takesMask(model) ? { mask } : {}),
  ...(takesSeed(model) ? { seed: readSeed(seed) ?? undefined } : {}),
})

type NotesProps = Pick<ReturnType<typeof useCreation>, 'submit' | 'isLooking'> & {
  onAgain(): void
}

function SubmissionNotes({ submit, isLooking, onAgain }: NotesProps) {
  return (
    <>
      {isLooking && (
        <Banner tone="warn" title="The answer was lost">
          Looking for the task among those the server has. Nothing is sent again, so nothing is paid
          twice.
        </Banner>
      )}
      {submit.error && <SubmitFailure error={submit.error} onAgain={onAgain} />}
      {submit.data?.wasLost && (
        <Banner tone="info" title="Found it">
          The answer was lost, but the task had arrived.
        </Banner>
      )}
    </>
  )
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
