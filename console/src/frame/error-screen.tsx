import { useRouter } from '@tanstack/react-router'
import { toApiFailure } from '#console/api/api-failure.ts'
import { Button } from '#console/ui/button.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Page } from '#console/ui/page.tsx'

/** Shown in place of a screen that failed to render: the frame stays, and retrying may help. */
export function ErrorScreen({ error, reset }: { error: unknown; reset?: () => void }) {
  const router = useRouter()
  const retry = () => {
    reset?.()
    void router.invalidate()
  }
  return (
    <Page title="This page could not be shown" width="read">
      <Failure failure={toApiFailure(error)} />
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" onClick={retry}>
          Try again
        </Button>
        <Button onClick={() => location.reload()}>Reload the page</Button>
      </div>
    </Page>
  )
}
