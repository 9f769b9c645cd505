// What the page for people without an account does. Its token is the only credential.
import type { WaitAnswer } from '#core/wait-facts.ts'
import { type KnownWait, readWaitById } from '#store/tables/wait-answers.ts'
import type { Services } from '../context.ts'
import { giveAnswer } from './give-answer.ts'

export type LinkedWait = KnownWait

/** Undefined if no such wait may be answered by a link. */
export async function readLinked(
  services: Services,
  waitId: string,
): Promise<KnownWait | undefined> {
  const wait = await readWaitById(services.db, waitId)
  return wait?.kind === 'APPROVAL' && wait.details.link === true ? wait : undefined
}

/** What is asked about, with fresh addresses of media. */
export async function readSubject(services: Services, wait: KnownWait): Promise<unknown> {
  const { payloads, refreshMedia } = services.runs
  return refreshMedia(wait.account_id, await payloads.read(wait.account_id, wait.value))
}

export const answerByLink = (
  services: Services,
  wait: KnownWait,
  answer: WaitAnswer,
  ipAddress: string,
) =>
  giveAnswer(services, wait, answer, {
    answerer: { kind: 'link', id: null },
    ...{ userId: null, keyId: null, ipAddress },
  })
