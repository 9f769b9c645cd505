import { CopyPlus, Download, Tag, Trash2, X } from 'lucide-react'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { counted } from '#console/lib/counted.ts'
import { formatCount } from '#console/lib/format-count.ts'
import { May } from '#console/shared/may.tsx'
import { Button } from '#console/ui/button.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { toast } from '#console/ui/toasts.ts'
import { bulk, exportFile, type OnChanged, useBulk, type Which } from './bulk.ts'
import { BulkDeleteDialog } from './bulk-delete-dialog.tsx'
import { TagDialog } from './tag-dialog.tsx'
import type { Selection } from './use-selection.ts'

type BulkBarProps = {
  selection: Selection
  which: Which
  /** How many match the search; null if they are too many to change at once. */
  matching: number | null
  shown: number
  onDone(): void
  onChanged: OnChanged
}

/** What can be done with the chosen workflows. */
export function BulkBar({ selection, which, matching, shown, onDone, onChanged }: BulkBarProps) {
  const [open, setOpen] = useState<'tag' | 'delete' | null>(null)
  const count = which.expectedCount
  const run = useBulk(
    async (action: 'duplicate' | 'export') => {
      if (action === 'export') await exportFile(which)
      else await bulk(which, { action })
    },
    {
      onChanged,
      onDone: (action) => {
        if (action === 'export') return
        toast('Copied the saved versions. Unsaved changes are not part of the copies.')
        done()
      },
    },
  )
  const done = () => {
    setOpen(null)
    selection.clear()
    onDone()
  }
  const asked = { which, onChanged, onClose: () => setOpen(null), onDone: done }
  const isAllShown = !selection.isEverything && selection.ids.size === shown
  return (
    <section
      aria-label="Selected workflows"
      className="sticky top-14 z-10 flex flex-wrap items-center gap-2 rounded-md border border-line bg-card px-3 py-2 shadow-float"
    >
      <span role="status" className="font-semibold">
        {counted(count, 'workflow')} selected
      </span>
      {isAllShown && matching !== null && matching > shown && (
        <Button variant="quiet" size="small" onClick={selection.chooseEverything}>
          Select all {formatCount(matching)} that match
        </Button>
      )}
      {isAllShown && matching === null && (
        <span className="text-soft text-sm">
          More than 10,000 match: narrow the search to select all.
        </span>
      )}
      <span className="grow" />
      <May need="editor">
        <Button size="small" icon={<Tag size={16} aria-hidden />} onClick={() => setOpen('tag')}>
          Tag
        </Button>
        <Button
          size="small"
          icon={<CopyPlus size={16} aria-hidden />}
          busy={run.isPending && run.variables === 'duplicate'}
          onClick={() => run.mutate('duplicate')}
        >
          Duplicate
        </Button>
      </May>
      <Button
        size="small"
        icon={<Download size={16} aria-hidden />}
        busy={run.isPending && run.variables === 'export'}
        onClick={() => run.mutate('export')}
      >
        Export
      </Button>
      <May need="editor">
        <Button
          size="small"
          variant="danger"
          icon={<Trash2 size={16} aria-hidden />}
          onClick={() => setOpen('delete')}
        >
          Delete
        </Button>
      </May>
      <IconButton
        label="Clear the selection"
        icon={<X size={16} aria-hidden />}
        onClick={selection.clear}
      />
      {run.error && (
        <div className="w-full">
          <Failure failure={toApiFailure(run.error)} />
        </div>
      )}
      {open === 'tag' && <TagDialog {...asked} />}
      {open === 'delete' && <BulkDeleteDialog {...asked} />}
    </section>
  )
}
