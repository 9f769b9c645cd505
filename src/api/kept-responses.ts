// Answers of the Responses API that a later request may refer to, for a while. Each belongs to one
// account, is sealed in the database, and leads to the one that it continues.
import type { Clock } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import type { Db } from '#store/db.ts'
import type { SecretBox } from '#store/secret-box.ts'
import {
  chainOfResponses,
  deleteKeptResponse,
  deleteOldestResponses,
  insertKeptResponse,
  openKeptResponses,
  sizeOfKeptResponses,
} from '#store/tables/kept-responses.ts'
import { createCountedBytes } from './counted-bytes.ts'

/** The items of one request and its answer, as the client sees them. */
export type KeptResponse = {
  id: string
  previousId: string | null
  input: readonly unknown[]
  response: { output: readonly unknown[] } & Record<string, unknown>
}

export type KeptResponses = {
  /** False if the operator has switched it off. */
  isOn: boolean
  /** Resolves once it is stored; false if it is too large. `continued` are kept as long as it. */
  keep(accountId: string, kept: KeptResponse, continued: readonly string[]): Promise<boolean>
  /** Those of these ids that the account has. */
  find(accountId: string, ids: readonly string[]): Promise<KeptResponse[]>
  /** It and all that it continues, the oldest first; null if one of them is gone. */
  chain(accountId: string, id: string): Promise<KeptResponse[] | null>
  delete(accountId: string, id: string): Promise<boolean>
}

/** A conversation with several photographs. */
const maxBytes = 16 * 1024 * 1024
/** What one request may read again; a model with a million tokens takes less text. */
const maxChainBytes = 64 * 1024 * 1024
/** Of one account. Beyond it, the oldest are deleted early. */
const maxAccountBytes = 1024 * 1024 * 1024
/** A quarter more room than needed, so that not each further one has to make room. */
const roomyBytes = maxAccountBytes * 0.75

type Deps = { db: Db; box: SecretBox; clock: Clock; keptMs: number }

export function createKeptResponses({ db, box, clock, keptMs }: Deps): KeptResponses {
  const counted = createCountedBytes(clock, (accountId) => sizeOfKeptResponses(db, accountId))
  const makeRoom = async (accountId: string, bytes: number): Promise<void> => {
    if ((await counted.add(accountId, bytes)) <= maxAccountBytes) return
    counted.forget(accountId)
    await deleteOldestResponses(db, accountId, roomyBytes)
  }

  const find = async (accountId: string, ids: readonly string[]): Promise<KeptResponse[]> => {
    const opened = await openKeptResponses(db, box, accountId, { ids, nowMs: clock.nowMs() })
    return ids.flatMap((id) => {
      const content = opened.get(id)
      return content ? [JSON.parse(content.toString()) as KeptResponse] : []
    })
  }

  return {
    isOn: keptMs > 0,
    find,
    async keep(accountId, kept, continued) {
      const content = Buffer.from(JSON.stringify(kept))
      if (keptMs === 0 || content.length > maxBytes) return false
      await makeRoom(accountId, content.length)
      const nowMs = clock.nowMs()
      const { id, previousId } = kept
      const expiresAtMs = nowMs + keptMs
      const row = { accountId, id, previousId, content, nowMs, expiresAtMs }
      const renewBeforeMs = nowMs + keptMs / 2
      await insertKeptResponse(db, box, row, { ids: continued, renewBeforeMs })
      return true
    },
    async chain(accountId, id) {
      const links = await chainOfResponses(db, accountId, { id, nowMs: clock.nowMs() })
      if (links.length === 0 || links.at(-1)?.previous_id !== null) return null
      if (links.reduce((sum, { size_bytes }) => sum + size_bytes, 0) > maxChainBytes)
        throw tooLong()
      const ids = links.map((link) => link.id).reverse()
      const all = await find(accountId, ids)
      return all.length === ids.length ? all : null
    },
    delete: (accountId, id) => deleteKeptResponse(db, accountId, { id, nowMs: clock.nowMs() }),
  }
}

const tooLong = () =>
  new Failure('INVALID_REQUEST', {
    message: 'The conversation that previous_response_id names is too long to be continued.',
    details: { param: 'previous_response_id', reason: 'context_length_exceeded' },
  })
