import { Compare } from '#console/browser-nodes/compare.tsx'
import { mediaPath } from '#console/lib/media-path.ts'
import { mediaOf } from '#console/shared/task-media.tsx'
import type { CreativeKind } from './creative.ts'
import { useTask } from './use-task.ts'

type CreativeCompareProps = { kind: CreativeKind; firstId: string; secondId: string }

/** Two results: pictures on top of each other, videos side by side. */
export function CreativeCompare({ kind, firstId, secondId }: CreativeCompareProps) {
  const first = useSource(firstId)
  const second = useSource(secondId)
  if (!first || !second)
    return <p className="text-soft">Both must be complete before they can be compared.</p>
  if (kind === 'IMAGE')
    return (
      <div className="h-[70dvh]">
        <Compare first={first} second={second} />
      </div>
    )
  return (
    <div className="grid gap-3 md:grid-cols-2">
      {[first, second].map((src, index) => (
        // biome-ignore lint/a11y/useMediaCaption: what a model makes has no captions
        <video key={src} src={src} controls aria-label={index === 0 ? 'First' : 'Second'} />
      ))}
    </div>
  )
}

function useSource(taskId: string): string | undefined {
  const { data } = useTask(taskId)
  const [first] = data ? mediaOf(data) : []
  return first && mediaPath(first.url)
}
