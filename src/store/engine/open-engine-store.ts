import type { Db } from '../db.ts'
import type { EngineStore } from '../engine-store.ts'
import type { SecretBox } from '../secret-box.ts'
import { credentialsIn } from './credentials.ts'
import { deliveriesIn } from './deliveries.ts'
import { leasesIn } from './leases.ts'

/** `box` opens and seals the secrets in its rows. */
export const openEngineStore = ({ db, box }: { db: Db; box: SecretBox }): EngineStore => ({
  leases: leasesIn(db),
  deliveries: deliveriesIn(db, box),
  credentials: credentialsIn(db, box),
})
