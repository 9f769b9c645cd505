import { getRouteApi, Link } from '@tanstack/react-router'
import type { ApiFailure } from '#console/api/api-failure.ts'
import { readOnlyWords } from '#console/canvas/actions.ts'
import type { KnownDraft } from '#console/canvas/opening.ts'
import { Banner } from '#console/ui/banner.tsx'
import { Button } from '#console/ui/button.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { When } from '#console/ui/when.tsx'

type NotesProps = {
  /** When the opened draft was stored. */
  draftFrom: string | null
  /** The version that the draft started from, and one that was saved since. */
  baseVersion: number | null
  newerVersion: number | null
  otherDrafts: readonly KnownDraft[]
  failure: ApiFailure | null
  isNew: boolean
  isReadOnly: boolean
  onDiscard(): void
}

/** What people should know before they continue: that this is a draft, or why saving failed. */
export function Notes(props: NotesProps) {
  const { draftFrom, baseVersion, newerVersion, otherDrafts, failure } = props
  const { isNew, isReadOnly, onDiscard } = props
  if (isReadOnly) return <ReadOnlyNote />
  const showsDraft = draftFrom !== null && !isNew
  if (!failure && !showsDraft && otherDrafts.length === 0) return null
  return (
    <div className="flex flex-col gap-2 border-line border-b px-3 py-2">
      {failure && <Failure failure={failure} title="No version was saved" />}
      {showsDraft && (
        <Banner
          tone={newerVersion === null ? 'info' : 'warn'}
          title={
            newerVersion === null ? 'This is a draft' : 'This draft is older than the workflow'
          }
          actions={
            <Button size="small" onClick={onDiscard}>
              Discard the draft
            </Button>
          }
        >
          The draft was saved <When at={draftFrom} />.
          {baseVersion !== null && newerVersion === null && (
            <> Triggers and programs use version {baseVersion} until you save a new one.</>
          )}
          {newerVersion !== null && baseVersion !== null && (
            <OlderThan baseVersion={baseVersion} newerVersion={newerVersion} />
          )}
          <OtherDrafts drafts={otherDrafts} lead="Other drafts:" />
        </Banner>
      )}
      {!showsDraft && otherDrafts.length > 0 && (
        <Banner tone="info" title="This is the saved version">
          <OtherDrafts drafts={otherDrafts} lead="There are also drafts:" />
        </Banner>
      )}
    </div>
  )
}

function OlderThan({ baseVersion, newerVersion }: { baseVersion: number; newerVersion: number }) {
  const { workflowId } = route.useParams()
  return (
    <span className="block">
      It was started from version {baseVersion}; version {newerVersion} has been saved since. If you
      save the draft, you choose what to keep of both.{' '}
      <Link
        to="/workflows/$workflowId/compare"
        params={{ workflowId }}
        search={{ from: baseVersion, to: newerVersion }}
        className="text-accent underline"
      >
        See what changed
      </Link>
    </span>
  )
}

function ReadOnlyNote() {
  return (
    <div className="border-line border-b px-3 py-2">
      <Banner tone="info" title={`${readOnlyWords}.`}>
        Your role is viewer. An owner of the account can make you an editor.
      </Banner>
    </div>
  )
}

const route = getRouteApi('/framed/workflows/$workflowId')
/** People usually look for the newest; the others can be reached from those. */
const shown = 5

/** Restoring a version, or a second tab, leaves a draft behind: nothing is discarded unasked. */
function OtherDrafts({ drafts, lead }: { drafts: readonly KnownDraft[]; lead: string }) {
  const { workflowId } = route.useParams()
  if (drafts.length === 0) return null
  return (
    <span className="mt-1 flex flex-wrap gap-x-3">
      {lead}
      {drafts.slice(0, shown).map(({ draftId, updatedAt }) => (
        <Link
          key={draftId}
          to="/workflows/$workflowId"
          params={{ workflowId }}
          search={{ draft: draftId }}
          className="text-accent underline"
        >
          draft from <When at={updatedAt} />
        </Link>
      ))}
    </span>
  )
}
