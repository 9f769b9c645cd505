import type { Member } from '#console/api/types.ts'

/** What an owner is about to do to a member. */
export type Asked = {
  kind: 'recover' | 'two-step' | 'disable' | 'enable' | 'remove'
  member: Member
}

type Words = { title: string; text: string; verb: string; danger?: true }

const keysText = (count: number): string =>
  count === 0 ? '' : count === 1 ? ' The key they made' : ` The ${count} keys they made`

/** What the dialog says before anything happens. */
export function wordsOf({ kind, member }: Asked): Words {
  const name = member.email ?? 'this member'
  const keys = keysText(member.liveKeys)
  switch (kind) {
    case 'recover':
      return {
        title: `New password for ${name}?`,
        text: 'You get a link that sets a new password. When it is used, all their sessions end.',
        verb: 'Make the link',
      }
    case 'two-step':
      return {
        title: `Turn two-step sign-in off for ${name}?`,
        text: 'Do this if they lost their phone and their recovery codes. The password alone is then enough.',
        verb: 'Turn off',
        danger: true,
      }
    case 'disable':
      return {
        title: `Disable ${name}?`,
        text: `They are signed out and cannot come back until you enable them.${keys && `${keys} stop working meanwhile.`}`,
        verb: 'Disable',
        danger: true,
      }
    case 'enable':
      return {
        title: `Enable ${name}?`,
        text: `They can sign in again.${keys && `${keys} work again.`}`,
        verb: 'Enable',
      }
    case 'remove':
      return {
        title: `Remove ${name}?`,
        text: `They lose access at once; what they made stays.${keys && `${keys} stop working for good: programs that use them are refused.`}`,
        verb: 'Remove',
        danger: true,
      }
    default:
      return kind satisfies never
  }
}
