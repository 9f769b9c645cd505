import type { TimedClock } from '#core/clock.ts'
import type { Db } from '../db.ts'
import type { EngineStore } from '../engine-store.ts'
import type { ChatLog } from '../journals/chat-log.ts'
import type { SecretBox } from '../secret-box.ts'
import type { RecordRunEnd } from '../tables/deliveries.ts'
import type { Steps } from '../tables/steps.ts'
import type { RecordWaiting } from '../tables/waiting-events.ts'
import { credentialsIn } from './credentials.ts'
import { deliveriesIn } from './deliveries.ts'
import { economyIn } from './economy.ts'
import { lanesIn } from './lanes.ts'
import { leasesIn } from './leases.ts'
import { ledgerIn } from './ledger.ts'
import { reuseIn } from './reuse.ts'
import { runsIn } from './runs.ts'
import { tasksIn } from './tasks.ts'
import { triggersIn } from './triggers.ts'
import { waitsIn } from './waits.ts'

type Parts = {
  db: Db
  clock: TimedClock
  /** Opens and seals the secrets in its rows. */
  box: SecretBox
  chats: ChatLog
  steps: Steps
  /** Stores the delivery of a webhook with the end of its run. */
  recordRunEnd: RecordRunEnd
  /** The same with the beginning of a wait. */
  recordWaiting: RecordWaiting
}

export const openEngineStore = ({
  db,
  clock,
  box,
  chats,
  steps,
  recordRunEnd,
  recordWaiting,
}: Parts): EngineStore => ({
  leases: leasesIn(db),
  tasks: tasksIn(db),
  runs: runsIn({ db, steps, recordRunEnd, recordWaiting }),
  steps,
  waits: waitsIn(db),
  ledger: ledgerIn(db, chats, clock),
  deliveries: deliveriesIn(db, box),
  credentials: credentialsIn(db, box),
  triggers: triggersIn(db, clock),
  lanes: lanesIn(db),
  reuse: reuseIn(db, steps, clock),
  economy: economyIn(db),
})
