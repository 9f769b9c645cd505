import type { Trigger } from '#console/api/types.ts'
import { Status } from '#console/ui/status.tsx'
import { When } from '#console/ui/when.tsx'
import { pauseWords } from './firing-words.ts'

/** When a trigger fires next, or why it does not. */
export function NextCell({ trigger }: { trigger: Trigger }) {
  const { paused, enabled, nextFirings, kind } = trigger
  if (paused) return <Status kind="warn" label={pauseWords[paused.reason] ?? 'Paused'} />
  if (!enabled) return <span className="text-soft">Off</span>
  const [next] = nextFirings
  if (next) return <When at={next} />
  return <span className="text-soft">{kind === 'WEBHOOK' ? 'On request' : 'No more'}</span>
}
