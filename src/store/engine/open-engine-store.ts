import type { Timers } from '#core/clock.ts'
import type { Db } from '../db.ts'
import type { EngineStore } from '../engine-store.ts'
import type { ChatLog } from '../journals/chat-log.ts'
import type { SecretBox } from '../secret-box.ts'
import { credentialsIn } from './credentials.ts'
import { deliveriesIn } from './deliveries.ts'
import { leasesIn } from './leases.ts'
import { ledgerIn } from './ledger.ts'
import { tasksIn } from './tasks.ts'

type Parts = {
  db: Db
  clock: Timers
  /** Opens and seals the secrets in its rows. */
  box: SecretBox
  chats: ChatLog
}

export const openEngineStore = ({ db, clock, box, chats }: Parts): EngineStore => ({
  leases: leasesIn(db),
  tasks: tasksIn(db),
  ledger: ledgerIn(db, chats, clock),
  deliveries: deliveriesIn(db, box),
  credentials: credentialsIn(db, box),
})
