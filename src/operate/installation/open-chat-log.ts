import type { Config } from '#config'
import type { TimedClock } from '#core/clock.ts'
import type { Db } from '#store/db.ts'
import type { ChatLog } from '#store/journals/chat-log.ts'
import type { Logger } from '../log.ts'

type ChatLogDeps = {
  config: Pick<Config, 'dataDir'>
  db: Db
  clock: TimedClock
  log: Logger
  onBroken(error: unknown): void
}

/** A single process logs its chats to a file; several share a table. */
export async function openChatLog(deps: ChatLogDeps): Promise<ChatLog> {
  const { config, db, clock, log, onBroken } = deps
  if (db.isShared) {
    const { openChatIntents } = await import('#store/journals/chat-intents.ts')
    return openChatIntents(db, clock)
  }
  const { openChatJournal } = await import('#store/journals/chat-journal.ts')
  const onError = (err: unknown) => log.error({ err }, 'the chat log')
  return openChatJournal({ db, clock, folder: config.dataDir, onError, onBroken })
}
