// The chat log as a file beside the database, for the one process that owns it.
//
//   begin ──▶ line "begun" ──▶ the call is made        underWay
//   settle ─▶ line "ended" ──▶ the caller is answered  waiting ─▶ ledger (100 ms later, in batches)
//                │
//                └─ entries of one tick are one line; the file is synced every 50 ms
//
// Promises that a chat survives a kill of the process from the moment it begins, and its exact cost
// from the moment it is answered. Chats that are not in the ledger yet are always in the file: a
// full file is replaced by one that begins with all of them. The next start reads what was left,
// adds missing chats to the ledger, and counts those that had not ended as spent. Never makes a
// chat wait for the disk to sync.
import { renameSync, unlinkSync } from 'node:fs'
import type { Clock } from '#core/clock.ts'
import { coalesce } from '#core/coalesce.ts'
import { type Db, StoreUnavailable } from '../db.ts'
import type { Attempt, SettledChat } from '../tables/ledger.ts'
import type { Settlement } from '../tables/settlement.ts'
import { begunEntry, endedEntry, entriesOf, lineOf } from './chat-lines.ts'
import { addOnce, type ChatLog } from './chat-log.ts'
import { type Disk, type JournalFile, openJournalFile } from './journal-file.ts'
import { readChatFiles, settleOpenChats } from './open-chats.ts'

/** A commit costs as much as some forty rows, so many share one; a restart has little to add. */
const flushAfterMs = 100
const retryMs = 1_000
const maxBatch = 1_000
const maxWaiting = 10_000

export type ChatJournalOptions = {
  db: Db
  clock: Clock
  folder: string
  onError(error: unknown): void
  /** Called once, when no chat can begin until the process restarts. */
  onBroken?(error: unknown): void
  disk?: Disk
}

export async function openChatJournal(options: ChatJournalOptions): Promise<ChatLog> {
  await settleLeftovers(options)
  const { clock } = options
  const underWay = new Map<string, Attempt>()
  const ledger = openLedgerQueue(options)
  const file = openJournalFile({
    ...options,
    nowMs: () => clock.nowMs(),
    needed: () => lineOf([...Array.from(underWay.values(), begunEntry), ...ledger.entries()]),
  })
  const lines = openLines(file, underWay, options.onError)
  let closing: Promise<void> | undefined
  const finish = async () => {
    lines.flush()
    await ledger.close()
    await file.close(underWay.size + ledger.size() === 0 ? 'removed' : 'kept')
  }
  return {
    begin(intent) {
      if (ledger.size() >= maxWaiting)
        throw new StoreUnavailable('too many chats are waiting to be stored')
      return lines.begin(intent)
    },
    isUnderWay: (attempt) => underWay.has(attempt),
    settle(settlement) {
      const intent = underWay.get(settlement.attempt)
      if (!intent) return undefined
      underWay.delete(settlement.attempt)
      ledger.add({ intent, settlement })
      return lines.end(settlement)
    },
    flush: ledger.flush,
    tryWrite: file.tryWrite,
    close() {
      closing ??= finish()
      return closing
    },
  }
}

/** What one tick writes. All chats that begin in it share one promise, and all that end another. */
type Line = {
  entries: string[]
  intents: Attempt[]
  begun: PromiseWithResolvers<void>
  ended: PromiseWithResolvers<void>
}

/**
 * Entries of one tick are written as one line: one system call serves them all, and they count
 * together or not at all. If the write fails, chats that begin are refused. Those that have ended
 * are not: the ledger may still take them, and a kill before that leaves their expected price.
 */
function openLines(
  file: JournalFile,
  underWay: Map<string, Attempt>,
  onError: (error: unknown) => void,
) {
  let next: Line | undefined

  function write() {
    if (!next) return
    const { entries, intents, begun, ended } = next
    next = undefined
    try {
      file.append(lineOf(entries))
      for (const intent of intents) underWay.set(intent.attempt, intent)
      begun.resolve()
    } catch (error) {
      onError(error)
      // Nobody waits for it if no chat began in this tick.
      begun.promise.catch(() => {})
      begun.reject(error)
    }
    ended.resolve()
  }

  function lineOfTick(): Line {
    if (next) return next
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    next = { entries: [], intents: [], begun, ended }
    // An immediate runs after everything that this tick still adds.
    setImmediate(write)
    return next
  }

  return {
    begin(intent: Attempt): Promise<void> {
      const { entries, intents, begun } = lineOfTick()
      entries.push(begunEntry(intent))
      intents.push(intent)
      return begun.promise
    },
    end(settlement: Settlement): Promise<void> {
      const { entries, ended } = lineOfTick()
      entries.push(endedEntry(settlement))
      return ended.promise
    },
    /** Writes what is waiting. */
    flush: write,
  }
}

/** Chats that have ended and are not in the ledger yet. */
function openLedgerQueue({ db, onError }: ChatJournalOptions) {
  let waiting: SettledChat[] = []
  let writing: SettledChat[] = []
  const flushes = coalesce(
    async () => {
      // Leaves chats that arrive meanwhile to the next flush; otherwise it might never end.
      for (let left = waiting.length; left > 0; left -= maxBatch) {
        writing = waiting.splice(0, Math.min(left, maxBatch))
        try {
          await addOnce(db, writing)
        } catch (error) {
          waiting = [...writing, ...waiting]
          throw error
        } finally {
          writing = []
        }
      }
    },
    { afterMs: flushAfterMs, retryMs, onError },
  )
  return {
    add(chat: SettledChat) {
      waiting.push(chat)
      if (waiting.length === maxBatch) flushes.run().catch(onError)
      else flushes.schedule()
    },
    /** Chats that wait for the database, without those being written. */
    size: () => waiting.length,
    entries: () => [...writing, ...waiting].flatMap(entriesOf),
    flush(accountId: string): Promise<void> | undefined {
      const isOf = ({ intent }: SettledChat) => intent.accountId === accountId
      return waiting.some(isOf) || writing.some(isOf) ? flushes.run() : undefined
    },
    async close() {
      await flushes.run().catch(onError)
      await flushes.stop()
    },
  }
}

/**
 * Settles what an earlier process left: missing chats are added to the ledger, and those that had
 * not ended count as spent, because their process is dead. A crash here is harmless: the next start
 * does it all again.
 */
async function settleLeftovers({ db, clock, folder, onError }: ChatJournalOptions) {
  const { chats, files } = readChatFiles(folder)
  await settleOpenChats(db, chats, clock.nowMs())
  for (const { path, unread } of files) {
    if (unread === 0) unlinkSync(path)
    else {
      const keptAs = `${path}.unreadable`
      renameSync(path, keptAs)
      onError(new Error(`${unread} lines of the chat log could not be parsed; kept in ${keptAs}`))
    }
  }
}
