import type { PayloadStore } from '#media/payload-store.ts'

/** For tests whose workers have no blob store: every payload stays in its row. */
export const payloadsInRows: PayloadStore = {
  put: async (_accountId, json) => json,
  get: async (_accountId, held) => held,
  read: async (_accountId, held) => JSON.parse(held),
}
