import type { Trigger } from '#console/api/types.ts'
import { Status } from '#console/ui/status.tsx'
import { When } from '#console/ui/when.tsx'
import { pauseWords } from './firing-words.ts'

/** When a trigger fires next, or why it does not, and its schedule in words. */
export function NextCell({ trigger }: { trigger: Trigger }) {
  return (
    <span className="flex min-w-0 flex-col items-start">
      <Next trigger={trigger} />
      {trigger.words && <span className="text-soft text-xs">{trigger.words}</span>}
    </span>
  )
}

function Next({ trigger: { paused, enabled, nextFirings, kind } }: { trigger: Trigger }) {
  if (paused) return <Status kind="warn" label={pauseWords[paused.reason] ?? 'Paused'} />
  if (!enabled) return <span className="text-soft">Off</span>
  const [next] = nextFirings
  if (next) return <When at={next} />
  return <span className="text-soft">{kind === 'WEBHOOK' ? 'On request' : 'No more'}</span>
}
