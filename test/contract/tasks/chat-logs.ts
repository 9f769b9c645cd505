// Both logs of chats, and how the world goes on after the process of one has died.
import { dirname } from 'node:path'
import { systemClock } from '#core/clock.ts'
import type { Db } from '#store/db.ts'
import { ledgerIn } from '#store/engine/ledger.ts'
import { openChatIntents } from '#store/journals/chat-intents.ts'
import { openChatJournal } from '#store/journals/chat-journal.ts'
import type { ChatLog } from '#store/journals/chat-log.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { journalOf } from '../../support/flushed-chats.ts'
import { migrations } from './setting.ts'

export type Logs = AsyncDisposable & {
  db: Db
  open(): Promise<ChatLog>
  /** Of a process that dies: what it had not done when it answered, it never does. */
  openDying(): Promise<ChatLog>
  /** What a start, or upkeep, does for the chats of dead processes. */
  recover(): Promise<void>
  /** Chats that may be under way, by what is stored. */
  left(): Promise<number>
}

export const chatLogs: readonly { name: Db['kind']; open(): Promise<Logs> }[] = databases.map(
  ({ name, open }) => ({
    name,
    async open() {
      const opened = await open({ migrations })
      return 'path' in opened.location
        ? journals(opened, dirname(opened.location.path))
        : intents(opened)
    },
  }),
)

const timeoutMs = 60_000

const intents = ({ db, close }: TestDatabase): Logs => ({
  db,
  open: async () => openChatIntents(db, systemClock),
  openDying: async () => openChatIntents(db, systemClock),
  // Another process can only tell by the time that has passed.
  async recover() {
    await db.write('update chat_intents set created_at = created_at - $1', [2 * timeoutMs])
    const ledger = ledgerIn(db, openChatIntents(db, systemClock), systemClock)
    await ledger.settleAbandoned(timeoutMs, systemClock.nowMs())
  },
  left: async () => (await db.query('select batch from chat_intents')).length,
  [Symbol.asyncDispose]: close,
})

/** As a process that was killed sees it: nothing it asks for happens any more. */
export const stalled = (db: Db): Db => ({ ...db, writeAll: () => new Promise(() => {}) })

function journals({ db, close }: TestDatabase, folder: string): Logs {
  const closing: ChatLog[] = []
  const options = { clock: systemClock, folder }
  const open = async () => {
    const log = await openChatJournal({ ...options, db, onError: console.error })
    closing.push(log)
    return log
  }
  return {
    db,
    open,
    openDying: () => openChatJournal({ ...options, db: stalled(db), onError: () => {} }),
    recover: async () => (await open()).close(),
    left: async () => {
      const { begun, ended } = journalOf(folder)
      return [...begun.keys()].filter((attempt) => !ended.has(attempt)).length
    },
    [Symbol.asyncDispose]: async () => {
      for (const log of closing) await log.close()
      await close()
    },
  }
}
