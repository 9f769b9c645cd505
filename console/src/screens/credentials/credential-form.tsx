import { Field } from '#console/ui/field.tsx'
import { Select } from '#console/ui/select.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import {
  type CredentialDraft,
  type CredentialProblems,
  hasHosts,
  kinds,
} from './credential-draft.ts'
import { HostsField } from './hosts-field.tsx'
import { ProviderField } from './provider-field.tsx'

type CredentialFormProps = {
  draft: CredentialDraft
  problems: CredentialProblems
  /** A credential's name never changes, because workflows refer to it. */
  hasName: boolean
  onChange(draft: CredentialDraft): void
}

export function CredentialForm({ draft, problems, hasName, onChange }: CredentialFormProps) {
  const text = (member: 'name' | 'secret' | 'header' | 'username') => ({
    value: draft[member],
    autoComplete: 'off',
    spellCheck: false,
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ ...draft, [member]: event.currentTarget.value }),
  })
  const secretLabel = kinds.find(({ value }) => value === draft.kind)?.secretLabel ?? 'Secret'
  return (
    <div className="flex flex-col gap-4">
      {!hasName && (
        <Field
          label="Name"
          hint="Workflows refer to it by this name: “crm”, “shop-orders”."
          problem={problems.name}
        >
          {(control) => <TextInput {...control} {...text('name')} maxLength={64} />}
        </Field>
      )}
      <Field label="Kind">
        {(control) => (
          <Select
            {...control}
            options={kinds}
            value={draft.kind}
            onChange={(kind) => onChange({ ...draft, kind })}
          />
        )}
      </Field>
      {draft.kind === 'header' && (
        <Field label="Header" hint="For example X-Api-Key." problem={problems.header}>
          {(control) => <TextInput {...control} {...text('header')} maxLength={100} />}
        </Field>
      )}
      {draft.kind === 'provider' && (
        <ProviderField
          value={draft.provider}
          onChange={(provider) => onChange({ ...draft, provider })}
          problem={problems.provider}
        />
      )}
      {draft.kind === 'basic' && (
        <Field label="User name" problem={problems.username}>
          {(control) => <TextInput {...control} {...text('username')} maxLength={256} />}
        </Field>
      )}
      <Field
        label={secretLabel}
        hint="Stored encrypted. Nobody can read it again, not even you."
        problem={problems.secret}
      >
        {(control) => (
          <TextInput
            {...control}
            {...text('secret')}
            type="password"
            autoComplete="new-password"
            maxLength={4096}
          />
        )}
      </Field>
      {hasHosts(draft.kind) && (
        <HostsField
          value={draft.hosts}
          onChange={(hosts) => onChange({ ...draft, hosts })}
          problem={problems.hosts}
        />
      )}
    </div>
  )
}
