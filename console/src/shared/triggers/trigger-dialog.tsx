import { useMutation } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import type { Trigger } from '#console/api/types.ts'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Form } from '#console/ui/form.tsx'
import { changeTrigger, createTrigger } from './calls.ts'
import { bodyOf, changesOf, problemsFrom, problemsOf } from './trigger-body.ts'
import { draftOf, emptyDraft, type TriggerDraft } from './trigger-draft.ts'
import { TriggerForm } from './trigger-form.tsx'

type TriggerDialogProps = {
  /** The trigger to change; absent for a new one. */
  trigger: Trigger | undefined
  workflowId: string | null
  /** What a new one begins with. */
  suggested?: TriggerDraft
  onClose(): void
  onSaved(trigger: Trigger): void
}

export function TriggerDialog(props: TriggerDialogProps) {
  const { trigger, workflowId, suggested, onClose, onSaved } = props
  const [draft, setDraft] = useState(() =>
    trigger ? draftOf(trigger) : (suggested ?? emptyDraft(workflowId)),
  )
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
  const own = problemsOf(draft)
  const problems = { ...(wasSent ? own : {}), ...problemsFrom(failure?.issues ?? []) }
  const submit = () => {
    setSent(true)
    if (Object.keys(own).length === 0) save.mutate()
  }
  const change = useCallback((next: Partial<TriggerDraft>) => {
    setDirty(true)
    setDraft((before) => ({ ...before, ...next }))
  }, [])
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
        {failure && failure.issues.length === 0 && <Failure failure={failure} onRetry={submit} />}
        <TriggerForm
          draft={draft}
          problems={problems}
          trigger={trigger}
          hasWorkflow={workflowId !== null}
          onChange={change}
        />
        {Object.keys(problems).length > 0 && (
          <p role="alert" className="text-bad text-sm">
            {failure && failure.issues.length > 0 ? failure.message : 'Something is missing above.'}
          </p>
        )}
      </Form>
    </Dialog>
  )
}
