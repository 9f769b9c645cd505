import type { Role } from '#console/api/types.ts'

/** Roles from the fewest rights to the most, in words for people. */
export const roleOptions: { value: Role; label: string; hint: string }[] = [
  { value: 'viewer', label: 'Viewer', hint: 'sees everything, changes nothing' },
  { value: 'editor', label: 'Editor', hint: 'builds and runs workflows, makes keys of their own' },
  { value: 'owner', label: 'Owner', hint: 'also members, spend limit and webhook secret' },
]

export const roleHint = (role: Role): string => {
  const { hint } = roleOptions.find(({ value }) => value === role) ?? { hint: '' }
  return `${hint.charAt(0).toUpperCase()}${hint.slice(1)}.`
}
