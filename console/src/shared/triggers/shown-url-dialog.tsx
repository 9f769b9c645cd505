import { useCallback, useState } from 'react'
import type { Trigger, TriggerSample } from '#console/api/types.ts'
import { Banner } from '#console/ui/banner.tsx'
import { Code } from '#console/ui/code.tsx'
import { ShownOnceDialog } from '#console/ui/shown-once-dialog.tsx'
import { Listen } from './listen.tsx'

/** The address of a webhook: only its hash is stored. */
export function ShownUrlDialog({ trigger, onClose }: { trigger: Trigger; onClose(): void }) {
  const url = trigger.url ?? ''
  const [sample, setSample] = useState<TriggerSample | null>(null)
  const show = useCallback((heard: TriggerSample) => setSample(heard), [])
  return (
    <ShownOnceDialog
      title={`“${trigger.name}” is ready`}
      done="I have saved it"
      size="medium"
      onClose={onClose}
    >
      <Banner tone="warn" title="This is the only time you will see its address">
        Give it to the sender. Whoever knows it can send requests, so treat it like a key.
      </Banner>
      <Code label="the address" text={url} wrap />
      <p className="text-sm">Try it:</p>
      <Code
        label="an example"
        text={`curl -X POST ${url} \\\n  -H 'content-type: application/json' \\\n  -d '{}'`}
        wrap
      />
      <Listen trigger={trigger} onSample={show} />
      {sample && <Code label="the body" text={JSON.stringify(sample.body, null, 2)} />}
    </ShownOnceDialog>
  )
}
