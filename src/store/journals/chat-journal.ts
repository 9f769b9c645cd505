// The log of chats in a file beside the database, for the one process that owns it. Promises that
// a chat survives a kill of the process from the moment it begins, and its exact cost from the
// moment it is answered; a moment later the ledger has it. Never makes a chat wait for the disk to
// sync.
import { readFileSync, renameSync, unlinkSync } from 'node:fs'
import type { Clock } from '#core/clock.ts'
import { type Db, StoreUnavailable } from '../db.ts'
import { soon } from '../soon.ts'
import { type Attempt, outcomeLost, type ToldOnce } from '../tables/ledger.ts'
import {
  begunEntry,
  endedEntry,
  entriesOf,
  lineOf,
  readLines,
  type ToldChats,
} from './chat-lines.ts'
import { addOnce, type ChatLog } from './chat-log.ts'
import { type Disk, journalPaths, openJournalFile } from './journal-file.ts'
import { openJournalTurns } from './journal-turns.ts'

const flushAfterMs = 50
const maxBatch = 1_000
const maxWaiting = 10_000

export type ChatJournalOptions = {
  db: Db
  clock: Clock
  folder: string
  onError(error: unknown): void
  disk?: Disk
}

export async function openChatJournal(options: ChatJournalOptions): Promise<ChatLog> {
  await settleLeftBehind(options)
  const { db, clock, onError } = options
  const underWay = new Map<string, Attempt>()
  let waiting: ToldOnce[] = []
  let writing: ToldOnce[] = []
  const file = openJournalFile({
    ...options,
    nowMs: () => clock.nowMs(),
    needed: () =>
      lineOf([
        ...Array.from(underWay.values(), begunEntry),
        ...[...writing, ...waiting].flatMap(entriesOf),
      ]),
  })
  const flushing = soon(
    async () => {
      // What comes meanwhile is left for the next time, or this would never end under load.
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
    { afterMs: flushAfterMs, onError },
  )
  const turns = openJournalTurns<Attempt>((line, begun) => {
    file.append(line)
    for (const intent of begun) underWay.set(intent.attempt, intent)
  }, onError)
  let closing: Promise<void> | undefined
  const finish = async () => {
    turns.end()
    await flushing.now().catch(onError)
    await flushing.stop()
    await file.close(underWay.size + waiting.length === 0 ? 'removed' : 'kept')
  }
  return {
    begin(intent) {
      if (waiting.length >= maxWaiting) throw new StoreUnavailable('too many chats wait for it')
      return turns.begin(begunEntry(intent), intent)
    },
    isUnderWay: (attempt) => underWay.has(attempt),
    settle(settlement) {
      const intent = underWay.get(settlement.attempt)
      if (!intent) return undefined
      underWay.delete(settlement.attempt)
      waiting.push({ intent, settlement })
      if (waiting.length === maxBatch) flushing.now().catch(onError)
      else flushing.ask()
      return turns.settle(endedEntry(settlement))
    },
    flush(accountId) {
      const isOf = ({ intent }: ToldOnce) => intent.accountId === accountId
      return waiting.some(isOf) || writing.some(isOf) ? flushing.now() : undefined
    },
    close() {
      closing ??= finish()
      return closing
    },
  }
}

/**
 * What an earlier process left: the ledger gets what it does not have, and what had not ended
 * counts as spent, for its process is dead. Dying here is harmless: it is all done again.
 */
async function settleLeftBehind({ db, clock, folder, onError }: ChatJournalOptions) {
  const chats: ToldChats = { begun: new Map(), ended: new Map() }
  const files = journalPaths(folder).map((path) => ({
    path,
    unread: readLines(readFileSync(path, 'utf8'), chats),
  }))
  const nowMs = clock.nowMs()
  const told = Array.from(chats.begun.values(), (intent) => ({
    intent,
    settlement: chats.ended.get(intent.attempt) ?? outcomeLost(intent, nowMs),
  }))
  for (let i = 0; i < told.length; i += maxBatch) await addOnce(db, told.slice(i, i + maxBatch))
  for (const { path, unread } of files) {
    if (unread === 0) unlinkSync(path)
    else {
      const keptAs = `${path}.unreadable`
      renameSync(path, keptAs)
      onError(new Error(`${unread} lines about chats were not understood: see ${keptAs}`))
    }
  }
}
