import { useSession } from '#console/api/session.ts'

/** Under whose name this browser keeps what they typed: several people may use it. */
export function useOwner(): string | undefined {
  const session = useSession().data?.session
  return session ? `${session.account.id}.${session.user.id}` : undefined
}
