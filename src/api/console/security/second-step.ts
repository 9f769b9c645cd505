import { hashRecoveryCode } from '#auth/recovery-codes.ts'
import { challenge } from '#auth/sessions.ts'
import { matchingStep } from '#auth/totp.ts'
import { Failure } from '#core/errors.ts'
import type { Tx } from '#store/db.ts'
import { readSecondFactor, useRecoveryCode, useStep } from '#store/tables/second-factors.ts'
import { type ConsoleServices, signInRefused } from '../context.ts'

export const wrongCode = () =>
  signInRefused('The code is wrong or was already used. Wait for the next one.')

/**
 * Checks the code of a person who has two-step sign-in on, and uses it up: six digits from their
 * authenticator, or a recovery code. Does nothing if it is off. Call it only after the password was
 * verified.
 */
export async function passSecondStep(
  tx: Tx,
  { secretBox, clock }: ConsoleServices,
  userId: string,
  code: string | undefined,
): Promise<void> {
  const factor = await readSecondFactor(tx, secretBox, userId)
  if (!factor || factor.confirmedAtMs === null) return
  if (code === undefined) throw new Failure('CODE_REQUIRED', { headers: challenge })
  const digits = code.replace(/\s/g, '')
  if (!/^[0-9]{6}$/.test(digits)) {
    if (!(await useRecoveryCode(tx, userId, hashRecoveryCode(code)))) throw wrongCode()
    return
  }
  const now = { nowMs: clock.nowMs(), afterStep: factor.lastStep }
  const step = matchingStep(factor.secret, digits, now)
  if (step === null || !(await useStep(tx, userId, step))) throw wrongCode()
}
