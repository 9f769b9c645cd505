import { Button } from '#console/ui/button.tsx'
import type { Entries } from './inputs.ts'
import type { StartValues } from './start-values.ts'

type FilledNoteProps = { from: StartValues['from']; entries: Entries; onClear(): void }

/** Says where the values in the fields came from, and can clear them. */
export function FilledNote({ from, entries, onClear }: FilledNoteProps) {
  const isEmpty = Object.values(entries).every((entry) => entry === undefined)
  if (from === null || isEmpty) return null
  return (
    <p className="flex flex-wrap items-center justify-between gap-2 text-soft text-sm">
      {from === 'sample' ? 'Filled in with sample inputs.' : 'Filled in from the last run.'}
      <Button size="small" variant="quiet" onClick={onClear}>
        Clear
      </Button>
    </p>
  )
}
