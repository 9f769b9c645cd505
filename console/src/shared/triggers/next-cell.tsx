import type { Trigger } from '#console/api/types.ts'
import { Status } from '#console/ui/status.tsx'
import { When } from '#console/ui/when.tsx'
import { pauseWords } from './firing-words.ts'

type NextCellProps = {
  trigger: Trigger
  /** A heading says already that this is about the next firing. */
  isHeaded?: boolean
}

/** When a trigger fires next, or why it does not, and its schedule in words. */
export function NextCell({ trigger, isHeaded = false }: NextCellProps) {
  return (
    <span className="flex min-w-0 flex-col items-start">
      <Next trigger={trigger} isHeaded={isHeaded} />
      {trigger.words && <span className="text-soft text-xs">{trigger.words}</span>}
    </span>
  )
}

function Next({ trigger: { paused, enabled, nextFirings, kind }, isHeaded }: NextCellProps) {
  if (paused) return <Status kind="warn" label={pauseWords[paused.reason] ?? 'Paused'} />
  if (!enabled) return <span className="text-soft">Off</span>
  const [next] = nextFirings
  if (next) {
    return (
      <span className="whitespace-nowrap">
        {!isHeaded && 'Next '}
        <When at={next} />
      </span>
    )
  }
  return <span className="text-soft">{kind === 'WEBHOOK' ? 'On request' : 'No more'}</span>
}
