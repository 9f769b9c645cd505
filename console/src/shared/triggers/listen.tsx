import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Ear } from 'lucide-react'
import { useEffect } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import type { Trigger, TriggerSample } from '#console/api/types.ts'
import { Banner } from '#console/ui/banner.tsx'
import { Button } from '#console/ui/button.tsx'
import { Failure } from '#console/ui/failure.tsx'

const readEveryMs = 1_000

type ListenProps = {
  trigger: Pick<Trigger, 'workflowId' | 'triggerId'>
  onSample(sample: TriggerSample): void
}

/** Waits for the next real request, for two minutes. It is treated as any other. */
export function Listen({ trigger: { workflowId, triggerId }, onSample }: ListenProps) {
  const client = useQueryClient()
  const params = { workflowId, triggerId }
  const queryKey = ['triggers', 'sample', triggerId]
  const start = useMutation({
    mutationFn: () =>
      consoleCall('POST /workflows/{workflowId}/triggers/{triggerId}/listen', { params }),
    onSuccess: (sample) => client.setQueryData(queryKey, sample),
  })
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      consoleCall('GET /workflows/{workflowId}/triggers/{triggerId}/listen', { params, signal }),
    enabled: start.isSuccess,
    refetchInterval: ({ state }) => (isListening(state.data) ? readEveryMs : false),
  })
  const heard = data?.at && data.refused === null ? data : null
  useEffect(() => {
    if (heard) onSample(heard)
  }, [heard, onSample])
  const waits = start.isSuccess && isListening(data)
  return (
    <div className="flex flex-col items-start gap-2">
      <Button
        size="small"
        icon={<Ear size={14} aria-hidden />}
        busy={start.isPending}
        disabled={waits}
        onClick={() => start.mutate()}
      >
        {waits ? 'Listening…' : 'Listen'}
      </Button>
      <div aria-live="polite" className="w-full text-sm">
        {start.error && <Failure failure={toApiFailure(start.error)} />}
        {data?.refused && <Banner tone="warn" title={`Refused: ${data.refused}`} />}
        {waits && <p className="text-soft">Now let the sender send something.</p>}
        {heard && <p className="text-good">A request arrived.</p>}
        {start.isSuccess && !waits && !heard && (
          <p className="text-soft">Nothing arrived within two minutes.</p>
        )}
      </div>
    </div>
  )
}

/** Until something was accepted, or the time is over. */
const isListening = (sample: TriggerSample | undefined): boolean =>
  sample?.listeningUntil != null && !(sample.at !== null && sample.refused === null)
