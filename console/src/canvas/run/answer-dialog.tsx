import { lazy, Suspense } from 'react'
import { useSessionOf, useShown, useView } from '#console/canvas/context.ts'
import { Dialog } from '#console/ui/dialog.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { useNameOf } from './use-name-of.ts'

const WaitBody = lazy(async () => ({
  default: (await import('#console/shared/waits/wait-body.tsx')).WaitBody,
}))

/** What the shown run asks, answered without leaving the graph. */
export function AnswerDialog() {
  const { view } = useSessionOf()
  const nameOf = useNameOf()
  const waitId = useView(({ answering }) => answering)
  const runId = useShown(({ run }) => run?.state.run.runId)
  const wait = useShown(({ run }) => run?.state.waits.find((one) => one.waitId === waitId))
  const close = () => view.setState({ answering: null })
  if (!wait || !runId) return null
  return (
    <Dialog open size="medium" title={wait.title || nameOf(wait.nodeId)} onClose={close}>
      <Suspense fallback={<SkeletonRows />}>
        {/* One that somebody else has answered stays, and says so. */}
        <WaitBody {...{ runId, waitId: wait.waitId }} onLate={() => undefined} onDone={close} />
      </Suspense>
    </Dialog>
  )
}
