import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Eye, EyeOff, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import { locale } from '#console/lib/locale.ts'
import { fullTime } from '#console/lib/time.ts'
import { Banner } from '#console/ui/banner.tsx'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { Copy } from '#console/ui/copy.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { When } from '#console/ui/when.tsx'

export function SecretCard() {
  const [isShown, setShown] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const query = useQuery({
    queryKey: ['webhook-secret'],
    queryFn: ({ signal }) => consoleCall('GET /webhook-secret', { signal }),
  })
  return (
    <Card
      title="Signing secret"
      actions={
        <Button
          size="small"
          icon={<RefreshCw size={14} aria-hidden />}
          onClick={() => setAsking(true)}
        >
          Rotate
        </Button>
      }
    >
      <Loadable query={query} skeleton={<Skeleton className="h-10 w-full" />}>
        {({ secret, rotatedAt, previousValidUntil }) => (
          <div className="flex flex-col gap-3">
            <p className="text-soft">
              Every webhook is signed with this secret (Standard Webhooks). Your receiver needs it
              to verify that a webhook comes from this server.
            </p>
            <div className="flex items-center gap-1 rounded-sm bg-sunken py-1 pr-1 pl-4">
              <code className="min-w-0 grow [overflow-wrap:anywhere]">
                {isShown ? secret : `whsec_${'•'.repeat(12)}`}
              </code>
              <IconButton
                label={isShown ? 'Hide the secret' : 'Show the secret'}
                icon={isShown ? <EyeOff size={16} aria-hidden /> : <Eye size={16} aria-hidden />}
                onClick={() => setShown(!isShown)}
              />
              <Copy text={secret} label="Copy the secret" select={() => setShown(true)} />
            </div>
            <p className="text-soft text-sm">
              Created <When at={rotatedAt} />.
            </p>
            {previousValidUntil && Date.parse(previousValidUntil) > Date.now() && (
              <Banner tone="info" title="Two signatures for now">
                Until {fullTime(Date.parse(previousValidUntil), locale)} webhooks are also signed
                with the old secret, so your receivers can switch over.
              </Banner>
            )}
          </div>
        )}
      </Loadable>
      {isAsking && <RotateDialog onClose={() => setAsking(false)} />}
    </Card>
  )
}

function RotateDialog({ onClose }: { onClose(): void }) {
  const client = useQueryClient()
  const rotate = useMutation({
    mutationFn: () => consoleCall('POST /webhook-secret/rotate'),
    onSuccess: (secret) => {
      client.setQueryData(['webhook-secret'], secret)
      onClose()
    },
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title="Rotate the signing secret?"
      description="A new secret is created. For 24 hours webhooks are signed with both; after that only with the new one."
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button variant="primary" busy={rotate.isPending} onClick={() => rotate.mutate()}>
            Rotate
          </Button>
        </>
      }
    >
      {rotate.error && <Failure failure={toApiFailure(rotate.error)} />}
      <p>Give the new secret to your receivers within that day.</p>
    </Dialog>
  )
}
