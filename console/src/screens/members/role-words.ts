import type { Role } from '#console/api/types.ts'

/** Roles from the fewest rights to the most, in words for people. */
export const roleOptions: { value: Role; label: string; hint: string }[] = [
  { value: 'viewer', label: 'Viewer', hint: 'sees everything, changes nothing' },
  { value: 'editor', label: 'Editor', hint: 'builds and runs workflows, creates their own keys' },
  {
    value: 'owner',
    label: 'Owner',
    hint: 'also manages members, the spend limit and the webhook secret',
  },
]

export const roleHint = (role: Role): string => {
  const { hint } = roleOptions.find(({ value }) => value === role) ?? { hint: '' }
  return `${hint.charAt(0).toUpperCase()}${hint.slice(1)}.`
}
