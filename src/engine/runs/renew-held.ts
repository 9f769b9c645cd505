import { isReference, referredTo } from '#core/payload-text.ts'
import type { RunDeps, RunWork } from './run-deps.ts'

const mediaAddress = /\/media\/([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})/g

/** Keeps what a run refers to while it sleeps for longer than such things are kept. */
export async function renewHeld(
  { waits, payloads, clock }: Pick<RunDeps, 'waits' | 'payloads' | 'clock'>,
  { row: { id, account_id: accountId } }: RunWork,
): Promise<void> {
  const references = new Set<string>()
  const media = new Set<string>()
  for (const held of await waits.textsOf(id)) {
    if (isReference(held)) references.add(referredTo(held))
    const text = isReference(held) ? await payloads.get(accountId, held) : held
    for (const [, mediaId = ''] of text.matchAll(mediaAddress)) media.add(mediaId)
  }
  await waits.renew(accountId, { payloads: [...references], media: [...media] }, clock.nowMs())
}
