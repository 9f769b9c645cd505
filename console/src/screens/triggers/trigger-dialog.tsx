import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import type { Trigger } from '#console/api/types.ts'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Form } from '#console/ui/form.tsx'
import { changeTrigger, createTrigger } from './calls.ts'
import {
  bodyOf,
  changesOf,
  draftOf,
  emptyDraft,
  problemsFrom,
  problemsOf,
} from './trigger-draft.ts'
import { TriggerForm } from './trigger-form.tsx'

type TriggerDialogProps = {
  /** The trigger to change; absent for a new one. */
  trigger: Trigger | undefined
  workflowId: string | null
  onClose(): void
  onSaved(trigger: Trigger): void
}

export function TriggerDialog({ trigger, workflowId, onClose, onSaved }: TriggerDialogProps) {
  const [draft, setDraft] = useState(() => (trigger ? draftOf(trigger) : emptyDraft(workflowId)))
  const [isDirty, setDirty] = useState(false)
  const [wasSent, setSent] = useState(false)
  const save = useMutation({
    mutationFn: () =>
      trigger
        ? changeTrigger(trigger, changesOf(draft, trigger))
        : createTrigger(draft.workflowId ?? '', bodyOf(draft)),
    onSuccess: onSaved,
  })
  const failure = save.error ? toApiFailure(save.error) : null
  const found = failure ? problemsFrom(failure.issues) : {}
  const problems = { ...(wasSent ? problemsOf(draft) : {}), ...found }
  const submit = () => {
    setSent(true)
    if (Object.keys(problemsOf(draft)).length === 0) save.mutate()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      dismissible={!isDirty}
      size="medium"
      title={trigger ? `Change ${trigger.name}` : 'New trigger'}
      description="Its runs have your rights and count against your limits."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="trigger-form" busy={save.isPending}>
            {trigger ? 'Save' : 'Make trigger'}
          </Button>
        </>
      }
    >
      <Form id="trigger-form" onSubmit={submit}>
        {failure && Object.keys(found).length === 0 && (
          <Failure failure={failure} onRetry={submit} />
        )}
        <TriggerForm
          draft={draft}
          problems={problems}
          isNew={trigger === undefined}
          onChange={(next) => {
            setDirty(true)
            setDraft(next)
          }}
        />
      </Form>
    </Dialog>
  )
}
