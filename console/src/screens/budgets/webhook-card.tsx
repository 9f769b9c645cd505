import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Field } from '#console/ui/field.tsx'
import { Form } from '#console/ui/form.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { TextInput } from '#console/ui/text-input.tsx'

/** Where alerts go besides the bell. */
export function WebhookCard() {
  const webhook = useQuery({
    queryKey: ['account-webhook'],
    queryFn: ({ signal }) => consoleCall('GET /webhook', { signal }),
  })
  return (
    <Card title="Alerts">
      <Loadable query={webhook} skeleton={<Skeleton className="h-16" />}>
        {({ url }) => (
          <div className="max-w-read">
            <AddressForm key={url} url={url ?? ''} />
          </div>
        )}
      </Loadable>
    </Card>
  )
}

function AddressForm({ url }: { url: string }) {
  const client = useQueryClient()
  const [address, setAddress] = useState(url)
  const save = useMutation({
    mutationFn: () => consoleCall('PUT /webhook', { body: { url: address.trim() || null } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['account-webhook'] }),
  })
  return (
    <Form id="webhook-form" onSubmit={() => save.mutate()}>
      {save.error && <Failure failure={toApiFailure(save.error)} />}
      <Field
        label="Webhook"
        note="optional"
        hint="Gets a signed event at 50%, 80% and 100% of a budget, and when a run waits for somebody."
      >
        {(control) => (
          <TextInput
            {...control}
            type="url"
            value={address}
            onChange={({ target }) => setAddress(target.value)}
          />
        )}
      </Field>
      <Button
        type="submit"
        className="self-start"
        busy={save.isPending}
        disabled={address.trim() === url}
      >
        Save webhook
      </Button>
    </Form>
  )
}
