import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import type { Budget } from '#console/api/types.ts'
import WorkflowSelect from '#console/shared/workflow-select.tsx'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Field } from '#console/ui/field.tsx'
import { Form } from '#console/ui/form.tsx'
import { Select } from '#console/ui/select.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import {
  amountOf,
  type BudgetDraft,
  budgetTitle,
  emptyDraft,
  nameOf,
  periodNames,
  problemsOf,
  scopeNames,
} from './budget-draft.ts'

type BudgetDialogProps = {
  /** The budget to change; null for a new one. */
  budget: Budget | null
  onClose(): void
  onSaved(): void
}

const options = <T extends string>(names: Record<T, string>) =>
  (Object.entries(names) as [T, string][]).map(([value, label]) => ({ value, label }))

export function BudgetDialog({ budget, onClose, onSaved }: BudgetDialogProps) {
  const [draft, setDraft] = useState<BudgetDraft>(() =>
    budget
      ? { ...budget, target: budget.target ?? '', limit: String(budget.limit.amount) }
      : emptyDraft,
  )
  const [wasSent, setSent] = useState(false)
  const save = useMutation({
    mutationFn: () =>
      consoleCall('PUT /budgets', {
        body: {
          ...nameOf({ ...draft, target: draft.target.trim() }),
          limit: amountOf(draft.limit),
        },
      }),
    onSuccess: onSaved,
  })
  const problems = wasSent ? problemsOf(draft) : {}
  const submit = () => {
    setSent(true)
    if (Object.keys(problemsOf(draft)).length === 0) save.mutate()
  }
  const change = (next: Partial<BudgetDraft>) => setDraft({ ...draft, ...next })
  return (
    <Dialog
      open
      onClose={onClose}
      title={budget ? `Change the budget of ${budgetTitle(budget)}` : 'New budget'}
      description="Days and months are in UTC."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="budget-form" busy={save.isPending}>
            {budget ? 'Save' : 'Set budget'}
          </Button>
        </>
      }
    >
      <Form id="budget-form" onSubmit={submit}>
        {save.error && <Failure failure={toApiFailure(save.error)} onRetry={submit} />}
        {!budget && (
          <>
            <Field label="For">
              {(control) => (
                <Select
                  {...control}
                  options={options(scopeNames)}
                  value={draft.scope}
                  onChange={(scope) => change({ scope, target: '' })}
                />
              )}
            </Field>
            <TargetField draft={draft} problem={problems.target} onChange={change} />
            <Field label="Period">
              {(control) => (
                <Select
                  {...control}
                  options={options(periodNames)}
                  value={draft.period}
                  onChange={(period) => change({ period })}
                />
              )}
            </Field>
          </>
        )}
        <Field label="Limit" note="USD" problem={problems.limit}>
          {(control) => (
            <TextInput
              {...control}
              inputMode="decimal"
              value={draft.limit}
              onChange={({ target }) => change({ limit: target.value })}
            />
          )}
        </Field>
      </Form>
    </Dialog>
  )
}

type TargetFieldProps = {
  draft: BudgetDraft
  problem: string | undefined
  onChange(next: Partial<BudgetDraft>): void
}

/** What the budget is for, if not for the whole account. */
function TargetField({ draft: { scope, target }, problem, onChange }: TargetFieldProps) {
  const choose = (next: string) => onChange({ target: next })
  switch (scope) {
    case 'account':
      return null
    case 'tag':
      return (
        <Field label="Tag" hint="As calls send it in X-Atelier-Tag." problem={problem}>
          {(control) => (
            <TextInput
              {...control}
              value={target}
              maxLength={64}
              onChange={(event) => choose(event.target.value)}
            />
          )}
        </Field>
      )
    case 'workflow':
      return (
        <Field label="Workflow" problem={problem}>
          {(control) => (
            <WorkflowSelect
              {...control}
              value={target === '' ? null : Number(target)}
              onChange={(id) => choose(String(id))}
            />
          )}
        </Field>
      )
    default:
      return <KeyField {...{ target, problem }} onChange={choose} />
  }
}

type KeyFieldProps = { target: string; problem: string | undefined; onChange(id: string): void }

function KeyField({ target, problem, onChange }: KeyFieldProps) {
  const keys = useQuery({
    queryKey: ['keys'],
    queryFn: async ({ signal }) => (await consoleCall('GET /api-keys', { signal })).items,
  })
  const live = (keys.data ?? []).filter(({ revokedAt }) => revokedAt === null)
  return (
    <Field label="Key" problem={problem}>
      {(control) => (
        <Select
          {...control}
          options={live.map(({ id, name }) => ({ value: id, label: name }))}
          value={target === '' ? null : target}
          onChange={onChange}
        />
      )}
    </Field>
  )
}
