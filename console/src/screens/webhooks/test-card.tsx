import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Field } from '#console/ui/field.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { TriesList } from './tries-list.tsx'

/** Sends one signed event to an address and shows the answer. */
export function TestCard() {
  const [url, setUrl] = useState('')
  const test = useMutation({
    mutationFn: () => consoleCall('POST /deliveries/test', { body: { url: url.trim() } }),
  })
  const failure = test.error ? toApiFailure(test.error) : null
  const isAboutUrl = failure?.code === 'CALLBACK_URL_REJECTED'
  return (
    <Card title="Test an address">
      <form
        noValidate
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (url.trim() !== '') test.mutate()
        }}
      >
        {failure && !isAboutUrl && <Failure failure={failure} />}
        <Field
          label="Address"
          hint="One signed event is sent, once. Runs name their own address when they are started."
          problem={isAboutUrl ? failure.message : null}
        >
          {(control) => (
            <TextInput
              {...control}
              type="url"
              inputMode="url"
              placeholder="https://example.com/webhooks"
              value={url}
              onChange={(event) => setUrl(event.target.value)}
            />
          )}
        </Field>
        <div>
          <Button type="submit" busy={test.isPending} disabled={url.trim() === ''}>
            Send a test
          </Button>
        </div>
      </form>
      {test.data && (
        <div className="mt-4" aria-live="polite">
          <TriesList tries={test.data.tries} />
        </div>
      )}
    </Card>
  )
}
