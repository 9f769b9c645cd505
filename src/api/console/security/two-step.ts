import { hashRecoveryCode, makeRecoveryCodes } from '#auth/recovery-codes.ts'
import { base32, makeTotpSecret, matchingStep, otpauthAddress } from '#auth/totp.ts'
import { toRfc3339 } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import { Type } from '#core/schema.ts'
import type { Tx } from '#store/db.ts'
import {
  confirmSecondFactor,
  countRecoveryCodes,
  deleteSecondFactor,
  putSecondFactor,
  readSecondFactor,
  replaceRecoveryCodes,
} from '#store/tables/second-factors.ts'
import { readUser } from '#store/tables/users.ts'
import { answer } from '../../operation.ts'
import { Closed, Nullable, Timestamp } from '../../schemas.ts'
import { type ConsoleContext, defineConsole, requireSession, signInRefused } from '../context.ts'
import { GivenPassword, SignInCode } from '../fields.ts'
import { limitedProof } from '../sign-in/failed-sign-in.ts'
import { passSecondStep, wrongCode } from './second-step.ts'

const codesShown = {
  200: {
    description: 'Recovery codes in place of a lost authenticator, each for one sign-in.',
    data: Closed({
      recoveryCodes: Type.Array(Type.String(), { description: 'Shown only once.' }),
    }),
  },
}

export const getTwoStep = defineConsole({
  id: 'getTwoStep',
  route: 'GET /two-step',
  summary: 'Shows whether signing in asks you for a code',
  access: 'viewer',
  success: {
    200: {
      description: 'Your two-step sign-in.',
      data: Closed({
        enabledAt: Nullable(Timestamp),
        recoveryCodesLeft: Type.Integer({ minimum: 0 }),
        hasPassword: Type.Boolean({ description: 'False if you sign in with OpenID only.' }),
      }),
    },
  },
  async handle(context) {
    const { userId } = requireSession(context)
    const { db, secretBox } = context.services
    const enabledAtMs = (await readSecondFactor(db, secretBox, userId))?.confirmedAtMs ?? null
    return answer({
      enabledAt: enabledAtMs === null ? null : toRfc3339(enabledAtMs),
      recoveryCodesLeft: await countRecoveryCodes(db, userId),
      hasPassword: ((await readUser(db, userId))?.passwordHash ?? null) !== null,
    })
  },
})

/** A stolen session must not be enough to change how its owner signs in. */
async function requirePassword(context: ConsoleContext, password: string): Promise<void> {
  const { userId } = requireSession(context)
  const { db, passwords } = context.services
  const stored = (await readUser(db, userId))?.passwordHash ?? null
  if (!(await passwords.verify(password, stored))) throw signInRefused('The password is wrong.')
}

const isOn = () =>
  new Failure('INVALID_REQUEST', { message: 'Two-step sign-in is on. Turn it off first.' })

export const startTwoStep = defineConsole({
  id: 'startTwoStep',
  route: 'POST /two-step',
  summary: 'Makes the secret for your authenticator app; nothing is on until a code confirms it',
  access: 'viewer',
  body: Closed({ password: GivenPassword }),
  success: {
    200: {
      description: 'For the app, as text and as an address that it reads from a QR code.',
      data: Closed({ secret: Type.String(), address: Type.String() }),
    },
  },
  errors: ['INVALID_CREDENTIAL', 'INVALID_REQUEST'],
  audit: {
    action: 'two-step.started',
    target: () => 'the secret of an authenticator app was made',
  },
  repeatable: true,
  async handle(context, { body }) {
    const { userId, email } = requireSession(context)
    const { db, clock, random, secretBox } = context.services
    await limitedProof(context, () => requirePassword(context, body.password))
    const secret = makeTotpSecret(random)
    const factor = { userId, secret, nowMs: clock.nowMs() }
    if (!(await db.transaction((tx) => putSecondFactor(tx, secretBox, factor)))) throw isOn()
    return answer({ secret: base32(secret), address: otpauthAddress(secret, email ?? userId) })
  },
})

async function giveRecoveryCodes(tx: Tx, context: ConsoleContext, userId: string) {
  const recoveryCodes = makeRecoveryCodes(context.services.random)
  await replaceRecoveryCodes(tx, userId, recoveryCodes.map(hashRecoveryCode))
  return answer({ recoveryCodes })
}

export const confirmTwoStep = defineConsole({
  id: 'confirmTwoStep',
  route: 'POST /two-step/confirm',
  summary: 'Turns two-step sign-in on with a code of your app, and shows the recovery codes',
  access: 'viewer',
  body: Closed({ code: SignInCode }),
  success: codesShown,
  errors: ['INVALID_CREDENTIAL'],
  audit: { action: 'two-step.on', target: () => 'confirmed with a code' },
  repeatable: false,
  ifUnknown: 'Look at /two-step: if it is on, make new recovery codes.',
  async handle(context, { body }) {
    const { userId } = requireSession(context)
    const { db, clock, secretBox } = context.services
    const nowMs = clock.nowMs()
    const confirm = async (tx: Tx) => {
      const factor = await readSecondFactor(tx, secretBox, userId)
      const code = body.code.replace(/\s/g, '')
      const step = factor && matchingStep(factor.secret, code, { nowMs, afterStep: 0 })
      if (step === null || !(await confirmSecondFactor(tx, { userId, step, nowMs }))) {
        throw wrongCode()
      }
      return giveRecoveryCodes(tx, context, userId)
    }
    return limitedProof(context, () => db.transaction(confirm))
  },
})

export const renewRecoveryCodes = defineConsole({
  id: 'renewRecoveryCodes',
  route: 'POST /two-step/recovery-codes',
  summary: 'Replaces your recovery codes and shows the new ones',
  access: 'viewer',
  body: Closed({ password: GivenPassword, code: SignInCode }),
  success: codesShown,
  errors: ['INVALID_CREDENTIAL', 'INVALID_REQUEST'],
  audit: { action: 'recovery-codes.renewed', target: () => 'the previous ones no longer work' },
  repeatable: false,
  ifUnknown: 'Replace them again: you cannot use codes you were not shown.',
  async handle(context, { body }) {
    const { userId } = requireSession(context)
    const { db, secretBox } = context.services
    const renew = async (tx: Tx) => {
      const factor = await readSecondFactor(tx, secretBox, userId)
      if (!factor || factor.confirmedAtMs === null) {
        throw new Failure('INVALID_REQUEST', { message: 'Two-step sign-in is off.' })
      }
      await passSecondStep(tx, context.services, userId, body.code)
      return giveRecoveryCodes(tx, context, userId)
    }
    return limitedProof(context, async () => {
      await requirePassword(context, body.password)
      return db.transaction(renew)
    })
  },
})

export const endTwoStep = defineConsole({
  id: 'endTwoStep',
  route: 'POST /two-step/off',
  summary: 'Turns your two-step sign-in off',
  access: 'viewer',
  body: Closed({ password: GivenPassword, code: SignInCode }),
  success: { 200: { description: 'Off.', data: Closed({}) } },
  errors: ['INVALID_CREDENTIAL'],
  audit: { action: 'two-step.off', target: () => 'with password and code' },
  repeatable: true,
  async handle(context, { body }) {
    const { userId } = requireSession(context)
    await limitedProof(context, async () => {
      await requirePassword(context, body.password)
      await context.services.db.transaction(async (tx) => {
        await passSecondStep(tx, context.services, userId, body.code)
        await deleteSecondFactor(tx, userId)
      })
    })
    return answer({})
  },
})
