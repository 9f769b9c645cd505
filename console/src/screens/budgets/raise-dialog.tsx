import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import type { Budget } from '#console/api/types.ts'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Field } from '#console/ui/field.tsx'
import { Form } from '#console/ui/form.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { amountOf, budgetTitle, nameOf } from './budget-draft.ts'

type RaiseDialogProps = { budget: Budget; onClose(): void; onSaved(): void }

/** The end of the period, as `datetime-local` writes it in the reader's time zone. */
function localTime(at: string): string {
  const ms = Date.parse(at)
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

export function RaiseDialog({ budget, onClose, onSaved }: RaiseDialogProps) {
  const [amount, setAmount] = useState('')
  const [until, setUntil] = useState(() => localTime(budget.resetsAt))
  const [wasSent, setSent] = useState(false)
  const untilMs = Date.parse(until)
  const raise = useMutation({
    mutationFn: () =>
      consoleCall('PUT /budgets/raise', {
        body: {
          ...nameOf(budget),
          amount: amountOf(amount) ?? 0,
          until: new Date(untilMs).toISOString(),
        },
      }),
    onSuccess: onSaved,
  })
  const isRight = amountOf(amount) !== null && untilMs > Date.now()
  const submit = () => {
    setSent(true)
    if (isRight) raise.mutate()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Raise the budget of ${budgetTitle(budget)}`}
      description="Afterwards the old limit holds again. The audit log records it."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="raise-form" busy={raise.isPending}>
            Raise
          </Button>
        </>
      }
    >
      <Form id="raise-form" onSubmit={submit}>
        {raise.error && <Failure failure={toApiFailure(raise.error)} onRetry={submit} />}
        <Field
          label="How much more"
          note="USD"
          hint="0 ends a raise."
          problem={wasSent && amountOf(amount) === null ? 'Enter an amount.' : null}
        >
          {(control) => (
            <TextInput
              {...control}
              inputMode="decimal"
              value={amount}
              onChange={({ target }) => setAmount(target.value)}
            />
          )}
        </Field>
        <Field
          label="Until"
          note="your time"
          problem={wasSent && !(untilMs > Date.now()) ? 'Choose a time in the future.' : null}
        >
          {(control) => (
            <TextInput
              {...control}
              type="datetime-local"
              value={until}
              onChange={({ target }) => setUntil(target.value)}
            />
          )}
        </Field>
      </Form>
    </Dialog>
  )
}
