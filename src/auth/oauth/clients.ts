import type { Clock } from '#core/clock.ts'
import type { Db } from '#store/db.ts'
import {
  insertOAuthClient,
  type OAuthClient,
  readOAuthClient,
} from '#store/tables/oauth-clients.ts'
import { type Random, randomToken } from '../random.ts'
import { createClientDocuments, type FetchDocument, isDocumentId } from './client-documents.ts'
import { readClientMetadata } from './client-metadata.ts'
import { OAuthError } from './oauth-error.ts'

// Registering costs nothing, so anybody can fill the table. The oldest unused registrations are
// deleted first: a client whose person is about to decide has registered minutes ago.
const maxWaiting = 1_000

export type Clients = {
  /** RFC 7591. Returns the client with the part of its description that was stored. */
  register(metadata: unknown): Promise<OAuthClient>
  /** Throws an OAuthError if there is no such client. `admit` is called before a URL is read. */
  find(clientId: string, admit: () => void): Promise<OAuthClient>
}

export function createClients(deps: {
  db: Db
  clock: Clock
  random: Random
  fetchDocument: FetchDocument
}): Clients {
  const { db, clock, random } = deps
  const documents = createClientDocuments(deps)
  return {
    async register(metadata) {
      const client = { id: randomToken(random), ...readClientMetadata(metadata) }
      await insertOAuthClient(db, { ...client, nowMs: clock.nowMs() }, { maxWaiting })
      return client
    },
    async find(clientId, admit) {
      const client = isDocumentId(clientId)
        ? await documents.read(clientId, admit)
        : await readOAuthClient(db, clientId)
      if (client) return client
      throw new OAuthError(
        'invalid_client',
        'No client is registered under this client_id. A registration that nobody used is deleted after a day.',
      )
    },
  }
}
