import type { DeliveryTry } from '#console/api/types.ts'
import { formatDuration } from '#console/lib/time.ts'
import { Code } from '#console/ui/code.tsx'
import { Status } from '#console/ui/status.tsx'
import { When } from '#console/ui/when.tsx'

/** Every attempt with its answer, newest first. */
export function TriesList({ tries }: { tries: readonly DeliveryTry[] }) {
  if (tries.length === 0) return <p className="text-soft">No attempts yet.</p>
  return (
    <ol className="flex flex-col gap-3">
      {tries.toReversed().map((one, index) => (
        <li key={one.at} className="rounded-sm border border-line px-4 py-3">
          <div className="flex flex-wrap items-center justify-between gap-x-4">
            <Status
              kind={one.error === null ? 'good' : 'bad'}
              label={one.statusCode === null ? 'No answer' : `Answered ${one.statusCode}`}
            />
            <span className="text-soft text-sm">
              Attempt {tries.length - index}, <When at={one.at} />, {formatDuration(one.ms)}
            </span>
          </div>
          {one.error && <p className="mt-1 text-sm">{one.error}</p>}
          {one.body && <Code className="mt-2" label="answer" text={one.body} wrap />}
        </li>
      ))}
    </ol>
  )
}
