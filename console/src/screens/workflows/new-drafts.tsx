import { Link } from '@tanstack/react-router'
import { FilePen, Trash2 } from 'lucide-react'
import type { DraftSummary } from '#console/api/types.ts'
import { deleteDraft } from '#console/canvas/calls.ts'
import { May } from '#console/shared/may.tsx'
import { Card } from '#console/ui/card.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { When } from '#console/ui/when.tsx'

export function NewDrafts({ drafts, onChange }: { drafts: DraftSummary[]; onChange(): void }) {
  if (drafts.length === 0) return null
  return (
    <Card title="Drafts of new workflows">
      <ul>
        {drafts.map((draft) => (
          <li key={draft.draftId} className="flex items-center gap-2 py-1">
            <FilePen size={16} className="shrink-0 text-soft" aria-hidden />
            <Link
              to="/workflows/$workflowId"
              params={{ workflowId: draft.draftId }}
              className="min-w-0 truncate font-semibold hover:underline"
            >
              {draft.name}
            </Link>
            <span className="ml-auto text-soft text-sm">
              <When at={draft.updatedAt} />
            </span>
            <May need="editor">
              <IconButton
                label={`Delete the draft ${draft.name}`}
                icon={<Trash2 size={16} aria-hidden />}
                onClick={async () => {
                  await deleteDraft(draft.draftId)
                  onChange()
                }}
              />
            </May>
          </li>
        ))}
      </ul>
    </Card>
  )
}
