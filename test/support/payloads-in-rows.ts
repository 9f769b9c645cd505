import type { PayloadStore } from '#media/payload-store.ts'

/** For workers of tests that have no blob store: every text stays in its row. */
export const payloadsInRows: PayloadStore = {
  put: async (_accountId, json) => json,
  get: async (_accountId, held) => held,
  read: async (_accountId, held) => JSON.parse(held),
}
