// A machine outside answers a run that waits for a message. The token in the address says which
// wait; the signature, if the node asks for one, who sent it.
import { Failure } from '#core/errors.ts'
import { type SignedRequest, verifySignature } from '#core/verify-signature.ts'
import { readWaitById } from '#store/tables/wait-answers.ts'
import type { Services } from '../context.ts'
import { giveAnswer } from './give-answer.ts'

export type Callback = Pick<SignedRequest, 'headers'> & {
  body: Buffer
  ipAddress: string
  /** Called once the sender is known; throws INVALID_JSON. */
  parse(body: Buffer): unknown
}

/** Throws WAIT_NOT_FOUND, SIGNATURE_INVALID, ANSWER_INVALID, or that it is late. */
export async function acceptCallback(
  services: Services,
  waitId: string,
  { headers, body, ipAddress, parse }: Callback,
): Promise<{ isReplay: boolean }> {
  const wait = await readWaitById(services.db, waitId)
  if (wait?.kind !== 'CALLBACK') throw new Failure('WAIT_NOT_FOUND')
  const { verify = { method: 'none' } } = wait.details
  const secrets = await services.waits.secretsOf(wait.account_id, verify.credentials ?? [])
  const nowMs = services.clock.nowMs()
  const verdict = verifySignature(verify, { headers, body, secrets, nowMs })
  if (!verdict.ok) throw new Failure('SIGNATURE_INVALID', { message: verdict.reason })
  // The first verified body that fits wins. The same again is a replay, another one is late.
  const answer = { response: parse(body) }
  const { isReplay } = await giveAnswer(services, wait, answer, {
    answerer: { kind: 'sender', id: null },
    ...{ userId: null, keyId: null, ipAddress },
  })
  return { isReplay }
}
