// Chats that are in a chat log and perhaps not in the ledger: what a process left when it died, or
// what a backup found while it ran.
import { readFileSync } from 'node:fs'
import type { Db, Reader } from '../db.ts'
import { type Attempt, outcomeLost } from '../tables/ledger.ts'
import type { Settlement } from '../tables/settlement.ts'
import { type ChatsByAttempt, readLines } from './chat-lines.ts'
import { addOnce } from './chat-log.ts'
import { journalPaths } from './journal-file.ts'

/** The settlement is null where no end is known. */
export type OpenChat = { intent: Attempt; settlement: Settlement | null }

/** Some hundred chats share a commit at full load. */
const maxBatch = 1_000

/** What the files of a chat log say, and how many lines of each were not understood. */
export function readChatFiles(folder: string) {
  const chats: ChatsByAttempt = { begun: new Map(), ended: new Map() }
  const files = journalPaths(folder).map((path) => ({
    path,
    unread: readLines(readFileSync(path, 'utf8'), chats),
  }))
  const open = Array.from(chats.begun.values(), (intent) => ({
    intent,
    settlement: chats.ended.get(intent.attempt) ?? null,
  }))
  return { chats: open, files }
}

/**
 * The same while another process writes them: a full file may be replaced by a new one, which
 * begins with all that is still needed, between the look at the folder and the reading.
 */
export function readLiveChatFiles(folder: string): OpenChat[] {
  for (;;) {
    try {
      return readChatFiles(folder).chats
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

/** The same of a database that several processes share. */
export async function storedOpenChats(db: Reader): Promise<OpenChat[]> {
  const rows = await db.query<{ attempts: string }>('select attempts from chat_intents')
  return rows.flatMap(({ attempts }) =>
    (JSON.parse(attempts) as Attempt[]).map((intent) => ({ intent, settlement: null })),
  )
}

/**
 * The ledger gets what it does not have, and what had not ended counts as spent. Dying here is
 * harmless: it is all done again.
 */
export async function settleOpenChats(db: Db, chats: readonly OpenChat[], nowMs: number) {
  const settled = chats.map(({ intent, settlement }) => ({
    intent,
    settlement: settlement ?? outcomeLost(intent, nowMs),
  }))
  for (let i = 0; i < settled.length; i += maxBatch) {
    await addOnce(db, settled.slice(i, i + maxBatch))
  }
}
