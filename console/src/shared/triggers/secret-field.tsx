import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import { useMay } from '#console/api/session.ts'
import { Button } from '#console/ui/button.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Field } from '#console/ui/field.tsx'
import { Select } from '#console/ui/select.tsx'
import { TextInput } from '#console/ui/text-input.tsx'

type SecretFieldProps = {
  label: string
  value: string
  /** An empty choice says so; without it one must be chosen. */
  none?: string
  hint?: string
  problem: string | undefined
  onChange(name: string): void
}

/** Chooses the stored credential with the sender's secret. */
export function SecretField({ label, value, none, hint, problem, onChange }: SecretFieldProps) {
  const { data } = useQuery({
    queryKey: ['credentials'],
    queryFn: async ({ signal }) => (await consoleCall('GET /credentials', { signal })).items,
  })
  const usable = (data ?? []).filter(({ kind }) => kind !== 'provider')
  // Those that are meant for webhooks come first.
  const names = [
    ...usable.filter(({ kind }) => kind === 'webhook'),
    ...usable.filter(({ kind }) => kind !== 'webhook'),
  ].map(({ name }) => name)
  const known = value === '' || names.includes(value) ? names : [value, ...names]
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(control) => (
        <Select
          {...control}
          options={[
            ...(none === undefined ? [] : [{ value: '', label: none }]),
            ...known.map((name) => ({ value: name, label: name })),
          ]}
          value={none === undefined ? value || null : value}
          placeholder={names.length === 0 ? 'None is stored yet' : 'Choose the secret'}
          onChange={onChange}
        />
      )}
    </Field>
  )
}

/** Stores the sender's secret without leaving the form; only owners may. */
export function NewSecret({ onStored }: { onStored(name: string): void }) {
  const client = useQueryClient()
  const mayStore = useMay('owner')
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const [secret, setSecret] = useState('')
  const store = useMutation({
    mutationFn: () =>
      consoleCall('POST /credentials', { body: { name: name.trim(), kind: 'webhook', secret } }),
    onSuccess: async ({ name: stored }) => {
      await client.invalidateQueries({ queryKey: ['credentials'] })
      onStored(stored)
      setOpen(false)
      setSecret('')
    },
  })
  if (!mayStore) return <p className="text-soft text-sm">An owner stores secrets.</p>
  if (!isOpen) {
    return (
      <div>
        <Button size="small" onClick={() => setOpen(true)}>
          Store a new secret
        </Button>
      </div>
    )
  }
  const isReady = /^[a-z0-9-]{1,64}$/.test(name.trim()) && secret !== ''
  return (
    <section aria-label="New secret" className="flex flex-col gap-4 rounded-sm bg-sunken p-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Name of the secret" hint="Lowercase letters, digits and hyphens.">
          {(control) => (
            <TextInput
              {...control}
              value={name}
              placeholder="github-hook"
              autoComplete="off"
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        <Field label="The secret" hint="The same as at the sender. It is never shown again.">
          {(control) => (
            <TextInput
              {...control}
              type="password"
              autoComplete="new-password"
              value={secret}
              onChange={({ target }) => setSecret(target.value)}
            />
          )}
        </Field>
      </div>
      {store.error && <Failure failure={toApiFailure(store.error)} />}
      <div className="flex gap-2">
        <Button
          size="small"
          busy={store.isPending}
          disabled={!isReady}
          onClick={() => store.mutate()}
        >
          Store it
        </Button>
        <Button size="small" variant="quiet" onClick={() => setOpen(false)}>
          Cancel
        </Button>
      </div>
    </section>
  )
}
