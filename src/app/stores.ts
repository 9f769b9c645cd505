import type { Config } from '#config'
import type { TimedClock } from '#core/clock.ts'
import { markInstallation } from '#operate/installation/installation.ts'
import { openChatLog } from '#operate/installation/open-chat-log.ts'
import { migrationsFolder, openDatabase } from '#operate/installation/open-database.ts'
import { openSecretBox } from '#operate/installation/open-secret-box.ts'
import type { Logger } from '#operate/log.ts'
import type { Db } from '#store/db.ts'
import { openSteps } from '#store/journals/step-log.ts'
import { migrate } from '#store/migrate.ts'

export type Process = {
  config: Config
  clock: TimedClock
  log: Logger
  /** What is opened last is closed first. */
  onClose(...closes: (() => Promise<unknown>)[]): void
  onBroken(error: unknown): void
}

/** What nearly every part of the process needs. */
export type Base = Omit<Process, 'onBroken'> & { db: Db }

export type Stores = Omit<Awaited<ReturnType<typeof openStores>>, 'base'>

/** The database with its journals, and the key that seals secrets in it. */
export async function openStores({ onBroken, ...process }: Process) {
  const { config, clock, log, onClose } = process
  const db = await openDatabase(config, log, onBroken)
  onClose(() => db.close())
  await migrate(db, migrationsFolder)
  onClose(await markInstallation({ db, dataDir: config.dataDir, clock, log }))
  const { keys, box } = await openSecretBox(config, db, clock, log)
  const chats = await openChatLog({ config, db, clock, log, onBroken })
  onClose(chats.close)
  const steps = await openSteps({
    db,
    clock,
    onError: (err) => log.error({ err }, 'the log of steps'),
  })
  onClose(steps.close)
  const base: Base = { ...process, db }
  return { base, keys, box, chats, steps }
}
