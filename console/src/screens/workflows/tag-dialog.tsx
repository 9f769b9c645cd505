import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { counted } from '#console/lib/counted.ts'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Field } from '#console/ui/field.tsx'
import { Form } from '#console/ui/form.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { bulk, type OnChanged, useBulk, type Which } from './bulk.ts'

type TagDialogProps = { which: Which; onClose(): void; onDone(): void; onChanged: OnChanged }

const tagsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
]

export function TagDialog({ which, onClose, ...hooks }: TagDialogProps) {
  const [add, setAdd] = useState('')
  const [remove, setRemove] = useState('')
  const change = useBulk(
    () => bulk(which, { action: 'tag', addTags: tagsIn(add), removeTags: tagsIn(remove) }),
    hooks,
  )
  const isNothing = tagsIn(add).length + tagsIn(remove).length === 0
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Tag ${counted(which.expectedCount, 'workflow')}`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            type="submit"
            form="tags"
            busy={change.isPending}
            disabled={isNothing}
          >
            Save
          </Button>
        </>
      }
    >
      <Form id="tags" onSubmit={() => change.mutate(undefined)}>
        <Field label="Add tags" hint="Separate several by commas.">
          {(control) => (
            <TextInput
              {...control}
              maxLength={500}
              value={add}
              onChange={(event) => setAdd(event.currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Remove tags" hint="Those that have none of them stay as they are.">
          {(control) => (
            <TextInput
              {...control}
              maxLength={500}
              value={remove}
              onChange={(event) => setRemove(event.currentTarget.value)}
            />
          )}
        </Field>
      </Form>
      {change.error && <Failure failure={toApiFailure(change.error)} />}
    </Dialog>
  )
}
