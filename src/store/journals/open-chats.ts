// Chats that are in a chat log and perhaps not in the ledger: what a process left when it died, or
// what a backup found while it ran.
import { readFileSync } from 'node:fs'
import type { Db, Reader } from '../db.ts'
import { type Attempt, outcomeLost } from '../tables/ledger.ts'
import type { Settlement } from '../tables/settlement.ts'
import { type ChatsByAttempt, readLines } from './chat-lines.ts'
import { addOnce } from './chat-log.ts'
import { journalPaths } from './journal-file.ts'

/** `settlement` is null if the chat is not known to have ended. */
export type OpenChat = { intent: Attempt; settlement: Settlement | null }

/** How many chats share a commit; the same as in the chat journal. */
const maxBatch = 1_000

/** The chats in the files of a chat log, and how many lines of each file could not be parsed. */
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
 * The same while another process writes the files. Between listing and reading, a full one may be
 * replaced by a new one that begins with everything still needed; then all is read again.
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

/** The same for a database that several processes share. */
export async function storedOpenChats(db: Reader): Promise<OpenChat[]> {
  const rows = await db.query<{ attempts: string }>('select attempts from chat_intents')
  return rows.flatMap(({ attempts }) =>
    (JSON.parse(attempts) as Attempt[]).map((intent) => ({ intent, settlement: null })),
  )
}

/**
 * Adds missing chats to the ledger; those that had not ended count as spent. A crash here is
 * harmless, because all of it can be done again.
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
