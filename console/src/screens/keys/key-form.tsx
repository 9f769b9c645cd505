import type { Scope } from '#console/api/types.ts'
import { Checkbox } from '#console/ui/checkbox.tsx'
import { Field } from '#console/ui/field.tsx'
import { FieldProblem } from '#console/ui/field-problem.tsx'
import { Select } from '#console/ui/select.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import {
  allScopes,
  type KeyDraft,
  type KeyProblems,
  type LimitName,
  limitTexts,
  presetOf,
  presets,
  scopesOf,
  scopeTexts,
} from './key-draft.ts'

type KeyFormProps = {
  draft: KeyDraft
  problems: KeyProblems
  onChange(draft: KeyDraft): void
}

export function KeyForm({ draft, problems, onChange }: KeyFormProps) {
  const change = (part: Partial<KeyDraft>) => onChange({ ...draft, ...part })
  const hasLimits = Object.values(draft.limits).some((text) => text !== '')
  return (
    <div className="flex flex-col gap-4">
      <Field
        label="Name"
        hint="Where it will be used: “laptop”, “shop backend”."
        problem={problems.name}
      >
        {(control) => (
          <TextInput
            {...control}
            value={draft.name}
            maxLength={100}
            autoComplete="off"
            onChange={(event) => change({ name: event.target.value })}
          />
        )}
      </Field>
      <Field label="Access">
        {(control) => (
          <Select
            {...control}
            options={presets}
            value={draft.isCustom ? 'custom' : presetOf(draft.scopes)}
            onChange={(preset) =>
              change({ scopes: scopesOf(preset, draft.scopes), isCustom: preset === 'custom' })
            }
          />
        )}
      </Field>
      {draft.isCustom && (
        <ScopeList
          chosen={draft.scopes}
          problem={problems.scopes}
          onChange={(scopes) => change({ scopes })}
        />
      )}
      <Field
        label="Expires"
        note="optional"
        hint="Valid until the end of that day (UTC). Leave empty for no expiry."
        problem={problems.expiresOn}
      >
        {(control) => (
          <TextInput
            {...control}
            type="date"
            value={draft.expiresOn}
            onChange={(event) => change({ expiresOn: event.target.value })}
          />
        )}
      </Field>
      <details open={hasLimits} className="rounded-sm border border-line px-4 py-2">
        <summary className="font-semibold text-sm">Limits</summary>
        <div className="flex flex-col gap-3 pt-3 pb-2">
          {(Object.keys(limitTexts) as LimitName[]).map((name) => (
            <Field key={name} label={limitTexts[name]} problem={problems[name]}>
              {(control) => (
                <TextInput
                  {...control}
                  inputMode="decimal"
                  placeholder="No limit"
                  value={draft.limits[name]}
                  onChange={(event) =>
                    change({ limits: { ...draft.limits, [name]: event.target.value } })
                  }
                />
              )}
            </Field>
          ))}
        </div>
      </details>
    </div>
  )
}

type ScopeListProps = {
  chosen: Scope[]
  problem: string | undefined
  onChange(scopes: Scope[]): void
}

function ScopeList({ chosen, problem, onChange }: ScopeListProps) {
  return (
    <fieldset className="rounded-sm border border-line px-4 py-2">
      <legend className="px-1 text-soft text-sm">Permissions</legend>
      {allScopes.map((scope) => (
        <Checkbox
          key={scope}
          label={scopeTexts[scope]}
          hint={<code>{scope}</code>}
          checked={chosen.includes(scope)}
          onChange={(event) =>
            onChange(
              event.target.checked
                ? allScopes.filter((one) => one === scope || chosen.includes(one))
                : chosen.filter((one) => one !== scope),
            )
          }
        />
      ))}
      {problem && <FieldProblem text={problem} />}
    </fieldset>
  )
}
