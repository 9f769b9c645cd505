// What somebody on the server's machine can do for an owner who is locked out.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { displayApiKey, makeApiKey } from '#auth/api-key.ts'
import { ownerKeyName, writeKeyFile } from '#auth/owner.ts'
import { recoveryLinkMs, recoveryLinkOf } from '#auth/owner-recovery.ts'
import { randomToken } from '#auth/random.ts'
import { hashToken } from '#auth/token-hash.ts'
import { uuidV7 } from '#core/ids.ts'
import { type CommandContext, MachineRefused, openInstallation } from './machine-access.ts'

const random = (size: number): Uint8Array => randomBytes(size)

/** Returns a link to set a new password, which also turns off the owner's second step. */
export async function resetOwner(context: CommandContext) {
  await using installation = await openInstallation(context)
  const { owner } = installation
  const canSignIn = owner.passwordHash !== null || owner.oidc !== null
  if (canSignIn && owner.email === null) {
    throw new MachineRefused('The owner signs in with OpenID and has no e-mail for a password.')
  }
  const token = randomToken(random)
  const expiresAtMs = context.clock.nowMs() + recoveryLinkMs
  const outcome = await installation.ask({
    kind: canSignIn ? 'reset' : 'set-up',
    userId: owner.id,
    tokenHash: hashToken(token),
    expiresAtMs,
  })
  const link = canSignIn
    ? recoveryLinkOf(context.baseUrl, token)
    : `${context.baseUrl}/setup#token=${token}`
  return { link, email: owner.email, expiresAtMs, outcome }
}

/** Writes a new key of the owner to DATA_DIR/owner.key; the previous one is revoked. */
export async function renewOwnerKey(context: CommandContext) {
  await using installation = await openInstallation(context)
  const key = makeApiKey(random)
  const path = join(context.config.dataDir, ownerKeyName)
  // Written first: a stored key that nobody can read is worse than a file with an unknown key.
  writeKeyFile(path, key)
  const outcome = await installation.ask({
    kind: 'key',
    userId: installation.owner.id,
    keyId: uuidV7(context.clock.nowMs()),
    keyHash: hashToken(key),
    display: displayApiKey(key),
  })
  return { path, outcome }
}
