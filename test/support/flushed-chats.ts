import { readFileSync } from 'node:fs'
import type { Reader } from '#store/db.ts'
import { type ChatsByAttempt, readLines } from '#store/journals/chat-lines.ts'
import { journalPaths } from '#store/journals/journal-file.ts'
import { knownAttempts } from '#store/tables/ledger.ts'

/** The chats in the journals of a folder, whose files may be removed during the reading. */
export function journalOf(folder: string): ChatsByAttempt & { unread: number } {
  const chats = { begun: new Map(), ended: new Map() } satisfies ChatsByAttempt
  let unread = 0
  for (const path of journalPaths(folder)) {
    try {
      unread += readLines(readFileSync(path, 'utf8'), chats)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return { ...chats, unread }
}

/** Chats whose callers were answered but that are not in the ledger yet. */
export async function unflushedChats(folder: string, db: Reader): Promise<string[]> {
  const { begun, ended } = journalOf(folder)
  const answered = [...ended.keys()].filter((attempt) => begun.has(attempt))
  const known = await knownAttempts(db, answered)
  return answered.filter((attempt) => !known.has(attempt))
}
