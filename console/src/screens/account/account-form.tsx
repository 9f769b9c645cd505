import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import type { Account } from '#console/api/types.ts'
import { Button } from '#console/ui/button.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Field } from '#console/ui/field.tsx'
import { Money } from '#console/ui/money.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { toast } from '#console/ui/toasts.ts'
import { When } from '#console/ui/when.tsx'

export function AccountForm({ account }: { account: Account }) {
  const client = useQueryClient()
  const [name, setName] = useState(account.name)
  const [limit, setLimit] = useState(account.spendLimit === null ? '' : String(account.spendLimit))
  const spend = useQuery({
    queryKey: ['spend-limits'],
    queryFn: ({ signal }) => consoleCall('GET /spend-limits', { signal }),
  })
  const limitProblem =
    limit.trim() !== '' && !(Number(limit) >= 0)
      ? 'Enter 0 or more, or leave empty for no limit.'
      : null
  const nameProblem = name.trim() === '' ? 'An account needs a name.' : null
  const save = useMutation({
    mutationFn: () =>
      consoleCall('PUT /account', {
        body: { name: name.trim(), spendLimit: limit.trim() === '' ? null : Number(limit) },
      }),
    onSuccess: (saved) => {
      client.setQueryData(['account'], saved)
      void client.invalidateQueries({ queryKey: ['spend-limits'] })
      toast('Saved')
    },
  })
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (!limitProblem && !nameProblem) save.mutate()
      }}
    >
      {save.error && <Failure failure={toApiFailure(save.error)} onRetry={() => save.mutate()} />}
      <Field label="Name of the account" problem={nameProblem}>
        {(control) => (
          <TextInput
            {...control}
            value={name}
            maxLength={100}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field
        label="Spend limit per month, in USD"
        note="optional"
        problem={limitProblem}
        hint={
          spend.data ? (
            <>
              <Money value={spend.data.account.thisMonth} /> spent this month, resets{' '}
              <When at={spend.data.resetsAt} />. Calls beyond the limit are refused before they cost
              anything.
            </>
          ) : (
            'Calls beyond the limit are refused before they cost anything.'
          )
        }
      >
        {(control) => (
          <TextInput
            {...control}
            inputMode="decimal"
            placeholder="No limit"
            value={limit}
            onChange={(event) => setLimit(event.target.value)}
          />
        )}
      </Field>
      <div>
        <Button type="submit" variant="primary" busy={save.isPending}>
          {save.isPaused ? 'Waiting for the server' : 'Save'}
        </Button>
      </div>
    </form>
  )
}
