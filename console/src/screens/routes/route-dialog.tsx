import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import type { Route } from '#console/api/types.ts'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Form } from '#console/ui/form.tsx'
import {
  bodyOf,
  draftOf,
  emptyDraft,
  hasProblems,
  noProblems,
  type Problems,
  problemsFrom,
  problemsOf,
} from './route-draft.ts'
import { RouteForm } from './route-form.tsx'

type RouteDialogProps = {
  /** The route to change; absent for a new one. */
  route: Route | undefined
  taken: readonly string[]
  onClose(): void
  onSaved(): void
}

export function RouteDialog({ route, taken, onClose, onSaved }: RouteDialogProps) {
  const [draft, setDraft] = useState(() => (route ? draftOf(route) : emptyDraft))
  const [isDirty, setDirty] = useState(false)
  const [wasSent, setSent] = useState(false)
  const save = useMutation({
    mutationFn: () =>
      consoleCall('PUT /routes/{name}', { params: { name: draft.name }, body: bodyOf(draft) }),
    onSuccess: onSaved,
  })
  const failure = save.error ? toApiFailure(save.error) : null
  const found = failure ? problemsFrom(failure.issues) : noProblems
  const own = (): Problems =>
    !route && taken.includes(draft.name)
      ? { ...problemsOf(draft), name: 'There is one already: change that one.' }
      : problemsOf(draft)
  const submit = () => {
    setSent(true)
    if (!hasProblems(own())) save.mutate()
  }
  const shown = wasSent ? own() : noProblems
  return (
    <Dialog
      open
      onClose={onClose}
      dismissible={!isDirty}
      size="medium"
      title={route ? `Change ${route.name}` : 'New route'}
      description="One name for several models: the first that accepts a call answers it."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="route-form" busy={save.isPending}>
            {route ? 'Save' : 'Make route'}
          </Button>
        </>
      }
    >
      <Form id="route-form" onSubmit={submit}>
        {failure && !hasProblems(found) && <Failure failure={failure} onRetry={submit} />}
        <RouteForm
          draft={draft}
          problems={hasProblems(shown) ? shown : found}
          isNew={route === undefined}
          onChange={(next) => {
            setDirty(true)
            setDraft(next)
          }}
        />
      </Form>
    </Dialog>
  )
}
