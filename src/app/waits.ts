import type { WaitServices } from '#api/public/waits/wait-services.ts'
import { secretOf } from '#core/credential.ts'
import type { Db } from '#store/db.ts'
import type { SecretBox } from '#store/secret-box.ts'
import { openCredential } from '#store/tables/credentials.ts'
import { createWaitTokens } from '#store/wait-tokens.ts'

/** What is needed to let somebody outside answer a run. */
export const openWaits = (db: Db, box: SecretBox, baseUrl: string): WaitServices => ({
  tokens: createWaitTokens(box, baseUrl),
  async secretsOf(accountId, names) {
    const found = await Promise.all(
      names.map((name) => openCredential(db, box, accountId, { name })),
    )
    return found.flatMap((credential) => (credential ? [secretOf(credential.opened)] : []))
  },
})
