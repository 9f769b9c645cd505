import { insertAuditOfUser, insertFailedSignIn } from '#store/tables/audit-entries.ts'
import { findUserByEmail } from '#store/tables/users.ts'
import { type ConsoleContext, requireSession } from '../context.ts'

/** Counted for the person, who is told with the next sign-in, and recorded. Never fails. */
export async function recordFailure(
  { services: { db, clock }, ipAddress }: ConsoleContext,
  userId: string,
  target: 'password' | 'code',
): Promise<void> {
  const attempt = { userId, ipAddress, target, nowMs: clock.nowMs() }
  await insertFailedSignIn(db, attempt).catch(() => {})
}

/** One try to sign in with this e-mail. If it is the last for now, that is recorded. */
export function limitedSignIn<T>(
  context: ConsoleContext,
  email: string,
  work: () => Promise<T>,
): Promise<T> {
  const { services, ipAddress } = context
  const onLimited = (waitMs: number) => void recordLimit(context, email, waitMs)
  return services.signInLimits.attempt({ address: ipAddress, email, onLimited }, work)
}

/** A try to prove who somebody is who has a session, which may be stolen. */
export function limitedProof<T>(context: ConsoleContext, work: () => Promise<T>): Promise<T> {
  const { userId, email } = requireSession(context)
  return limitedSignIn(context, email ?? userId, work)
}

async function recordLimit(
  { services: { db, clock }, ipAddress }: ConsoleContext,
  email: string,
  waitMs: number,
): Promise<void> {
  try {
    const user = await findUserByEmail(db, email)
    if (!user) return
    await insertAuditOfUser(db, {
      userId: user.id,
      action: 'sign-in.limited',
      target: `no further tries for ${waitMs / 1000} s`,
      ipAddress,
      nowMs: clock.nowMs(),
    })
  } catch {
    // The tries are limited all the same.
  }
}
