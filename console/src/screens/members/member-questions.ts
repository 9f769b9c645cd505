import type { Member } from '#console/api/types.ts'

/** What an owner is about to do to a member. */
export type Asked = {
  kind: 'recover' | 'two-step' | 'disable' | 'enable' | 'remove'
  member: Member
}

type Words = { title: string; text: string; verb: string; danger?: true }

const keysText = (count: number): string =>
  count === 0 ? '' : count === 1 ? ' The key they created' : ` The ${count} keys they created`

/** What the dialog says before anything happens. */
export function wordsOf({ kind, member }: Asked): Words {
  const { name } = member
  const keys = keysText(member.liveKeys)
  const them = member.liveKeys === 1 ? 'it' : 'them'
  switch (kind) {
    case 'recover':
      return {
        title: `New password for ${name}?`,
        text: 'You will get a link to send them. They use it to set a new password, which ends all their sessions.',
        verb: 'Create link',
      }
    case 'two-step':
      return {
        title: `Turn off two-step sign-in for ${name}?`,
        text: 'Do this if they lost their phone and their recovery codes. Their password alone will then be enough.',
        verb: 'Turn off',
        danger: true,
      }
    case 'disable':
      return {
        title: `Disable ${name}?`,
        text: `They are signed out and cannot sign in until you enable them.${keys && `${keys} will stop working until then.`}`,
        verb: 'Disable',
        danger: true,
      }
    case 'enable':
      return {
        title: `Enable ${name}?`,
        text: `They can sign in again.${keys && `${keys} will work again.`}`,
        verb: 'Enable',
      }
    case 'remove':
      return {
        title: `Remove ${name}?`,
        text: `They lose access immediately; what they made stays.${keys && `${keys} will stop working permanently: programs that use ${them} will be refused.`}`,
        verb: 'Remove',
        danger: true,
      }
    default:
      return kind satisfies never
  }
}
