import type { ApiFailure } from '#console/api/api-failure.ts'
import { Banner } from '#console/ui/banner.tsx'
import { Button } from '#console/ui/button.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { When } from '#console/ui/when.tsx'

type NotesProps = {
  /** When the draft that was opened was kept. */
  draftFrom: string | null
  failure: ApiFailure | null
  isNew: boolean
  onDiscard(): void
}

/** What one should know before going on: that this is a draft, or why saving failed. */
export function Notes({ draftFrom, failure, isNew, onDiscard }: NotesProps) {
  const showsDraft = draftFrom !== null && !isNew
  if (!failure && !showsDraft) return null
  return (
    <div className="flex flex-col gap-2 border-line border-b px-3 py-2">
      {failure && <Failure failure={failure} title="This was not saved" />}
      {showsDraft && (
        <Banner
          tone="info"
          title="This is your draft"
          actions={
            <Button size="small" onClick={onDiscard}>
              Discard the draft
            </Button>
          }
        >
          Kept <When at={draftFrom} />, not saved as a version yet.
        </Banner>
      )}
    </div>
  )
}
