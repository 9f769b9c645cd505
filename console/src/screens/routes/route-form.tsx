import { useModelCatalogue } from '#console/shared/use-model-catalogue.ts'
import { Checkbox } from '#console/ui/checkbox.tsx'
import { Field } from '#console/ui/field.tsx'
import { FieldProblem } from '#console/ui/field-problem.tsx'
import { Select } from '#console/ui/select.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { CandidateFields } from './candidate-fields.tsx'
import type { Placing, Problems, Reason, RouteDraft } from './route-draft.ts'
import { placingWords, reasonWords } from './route-words.ts'

const placings = (Object.keys(placingWords) as Placing[]).map((value) => ({
  value,
  label: placingWords[value],
}))
const reasons = Object.keys(reasonWords) as Reason[]

type RouteFormProps = {
  draft: RouteDraft
  problems: Problems
  isNew: boolean
  onChange(draft: RouteDraft): void
}

export function RouteForm({ draft, problems, isNew, onChange }: RouteFormProps) {
  const { data: models = [] } = useModelCatalogue()
  const set = (change: Partial<RouteDraft>) => onChange({ ...draft, ...change })
  return (
    <>
      {isNew && (
        <Field
          label="Name"
          problem={problems.name}
          hint={`Calls name it as route:${draft.name || 'name'}, wherever they name a model.`}
        >
          {(control) => (
            <TextInput
              {...control}
              value={draft.name}
              maxLength={64}
              onChange={({ target }) => set({ name: target.value.toLowerCase() })}
            />
          )}
        </Field>
      )}
      <Field label="Description" note="optional">
        {(control) => (
          <TextInput
            {...control}
            value={draft.description}
            maxLength={500}
            onChange={({ target }) => set({ description: target.value })}
          />
        )}
      </Field>
      <Field label="Which is asked first">
        {(control) => (
          <Select
            {...control}
            options={placings}
            value={draft.placing}
            onChange={(placing) => set({ placing })}
          />
        )}
      </Field>
      <CandidateFields
        candidates={draft.candidates}
        models={models}
        isWeighted={draft.placing === 'weight'}
        problems={problems.candidates}
        onChange={(candidates) => set({ candidates })}
      />
      <Reasons draft={draft} onChange={set} />
      {draft.on.includes('timeout') && (
        <TimeoutFields draft={draft} problems={problems} onChange={set} />
      )}
    </>
  )
}

type PartProps = { draft: RouteDraft; onChange(change: Partial<RouteDraft>): void }

function Reasons({ draft: { on }, onChange }: PartProps) {
  return (
    <fieldset className="flex flex-col">
      <legend className="mb-1 font-semibold text-sm">Ask the next model when</legend>
      <p className="text-soft text-xs">
        A call that may have been accepted stays where it is, so that nobody is paid twice.
      </p>
      {reasons.map((reason) => (
        <Checkbox
          key={reason}
          label={reasonWords[reason].label}
          hint={reasonWords[reason].hint}
          checked={on.includes(reason)}
          onChange={({ target: { checked } }) =>
            onChange({ on: reasons.filter((one) => (one === reason ? checked : on.includes(one))) })
          }
        />
      ))}
    </fieldset>
  )
}

function TimeoutFields({ draft, problems, onChange }: PartProps & { problems: Problems }) {
  return (
    <>
      <Field
        label="Time to accept"
        note="seconds, optional"
        problem={problems.attemptSeconds}
        hint="Each model but the last has this long to accept a text call."
      >
        {(control) => (
          <TextInput
            {...control}
            inputMode="numeric"
            value={draft.attemptSeconds}
            onChange={({ target }) => onChange({ attemptSeconds: target.value.trim() })}
          />
        )}
      </Field>
      <Checkbox
        label="Pay twice rather than wait"
        hint="After a time-out nobody knows whether the call was accepted. Without this, it stays."
        checked={draft.mayPayTwice}
        onChange={({ target: { checked } }) => onChange({ mayPayTwice: checked })}
      />
      {problems.mayPayTwice && <FieldProblem id="may-pay-twice" text={problems.mayPayTwice} />}
    </>
  )
}
