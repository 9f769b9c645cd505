import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import type { Call } from '#console/api/types.ts'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Field } from '#console/ui/field.tsx'
import { Money } from '#console/ui/money.tsx'
import { TextInput } from '#console/ui/text-input.tsx'

/** Replaces the highest possible cost of a lost call with what the provider billed. */
export function SettleDialog({ call, onClose }: { call: Call; onClose(): void }) {
  const client = useQueryClient()
  const [typed, setTyped] = useState('0')
  const cost = typed.trim() === '' ? Number.NaN : Number(typed)
  const settle = useMutation({
    mutationFn: () =>
      consoleCall('POST /calls/{callId}/settle', {
        params: { callId: call.id },
        body: { cost },
      }),
    onSuccess: () => {
      void client.invalidateQueries()
      onClose()
    },
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title="Settle this call"
      description="Look it up in the provider’s usage or bill. The audit log records what you enter."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={!(cost >= 0 && cost <= 1_000_000)}
            busy={settle.isPending}
            onClick={() => settle.mutate()}
          >
            Settle
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {settle.error && (
          <Failure failure={toApiFailure(settle.error)} onRetry={() => settle.mutate()} />
        )}
        <p className="[overflow-wrap:anywhere]">
          {call.model} at {call.provider}, counted as <Money value={call.cost} />.
        </p>
        <Field label="What it did cost, in USD" hint="0 if the provider billed nothing.">
          {(control) => (
            <TextInput
              {...control}
              value={typed}
              inputMode="decimal"
              autoComplete="off"
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
      </div>
    </Dialog>
  )
}
