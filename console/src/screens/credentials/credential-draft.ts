// The state of the credential form, and what is sent from it. Pure.
import type { Issue } from '#console/api/api-failure.ts'
import type { Credential } from '#console/api/types.ts'

export type CredentialKind = Credential['kind']

export const kinds: { value: CredentialKind; label: string; secretLabel: string }[] = [
  { value: 'bearer', label: 'Bearer token', secretLabel: 'Token' },
  { value: 'header', label: 'Custom header', secretLabel: 'Value' },
  { value: 'basic', label: 'User name and password', secretLabel: 'Password' },
  { value: 'provider', label: 'Model provider key', secretLabel: 'Key' },
  { value: 'webhook', label: 'Webhook secret', secretLabel: 'Secret' },
]

/** The others are sent to no host that somebody names. */
export const hasHosts = (kind: CredentialKind): boolean => kind !== 'provider' && kind !== 'webhook'

export const kindText = (kind: CredentialKind): string =>
  kinds.find(({ value }) => value === kind)?.label ?? kind

export type CredentialDraft = {
  name: string
  kind: CredentialKind
  secret: string
  header: string
  username: string
  /** Whose key it is; empty until chosen. */
  provider: string
  /** As typed: hosts separated by spaces, commas or line breaks. */
  hosts: string
}

/** A stored secret is never returned, so the form for replacing it starts empty. */
export const draftOf = (credential?: Credential): CredentialDraft => ({
  name: credential?.name ?? '',
  kind: credential?.kind ?? 'bearer',
  secret: '',
  header: '',
  username: '',
  provider: credential?.provider ?? '',
  hosts: credential?.hosts.join('\n') ?? '',
})

const hostsOf = (text: string): string[] => [
  ...new Set(
    text
      .toLowerCase()
      .split(/[\s,]+/)
      .map((host) => host.replace(/^https:\/\//, '').replace(/\/$/, ''))
      .filter((host) => host !== ''),
  ),
]

export type CredentialProblems = Partial<Record<keyof CredentialDraft, string>>

/** Reports what the server would refuse, before anything is sent. */
export function problemsOf(draft: CredentialDraft): CredentialProblems {
  return {
    ...(/^[a-z0-9-]{1,64}$/.test(draft.name)
      ? {}
      : { name: 'Use up to 64 lowercase letters, digits and hyphens.' }),
    ...(draft.secret === '' ? { secret: 'Enter the secret.' } : {}),
    ...(draft.kind === 'header' && draft.header.trim() === ''
      ? { header: 'Enter the name of the header.' }
      : {}),
    ...(hasHosts(draft.kind) && hostsOf(draft.hosts).length === 0
      ? { hosts: 'Enter at least one host that the secret may be sent to.' }
      : {}),
    ...(draft.kind === 'provider' && draft.provider === ''
      ? { provider: 'Choose the provider.' }
      : {}),
  }
}

export const bodyOf = ({ kind, secret, header, username, provider, hosts }: CredentialDraft) => ({
  kind,
  secret,
  ...(kind === 'provider' ? { provider } : {}),
  ...(hasHosts(kind) ? { hosts: hostsOf(hosts) } : {}),
  ...(kind === 'header' ? { header: header.trim() } : {}),
  ...(kind === 'basic' ? { username } : {}),
})

/** Maps the server's issues to the fields they are about. */
export function problemsFrom(issues: readonly Issue[]): CredentialProblems {
  const problems: CredentialProblems = {}
  for (const { path, message } of issues) {
    problems[path.split('/')[1] as keyof CredentialProblems] = path.startsWith('/hosts')
      ? 'Write hosts as api.example.com or *.example.com.'
      : message
  }
  return problems
}
