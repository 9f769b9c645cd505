// A worker process to be killed: delivers from the database named on its command line.
import { systemClock } from '#core/clock.ts'
import { keepLease } from '#engine/work/lease-keeper.ts'
import { createGateway } from '#outbound/gateway.ts'
import { deliveriesIn } from '#store/engine/deliveries.ts'
import { leasesIn } from '#store/engine/leases.ts'
import { openPostgres } from '#store/postgres/database.ts'
import { createSecretBox } from '#store/secret-box.ts'
import { openSqlite } from '#store/sqlite/database.ts'
import { startWebhooks } from '../../../src/app/webhooks.ts'
import { patientDatabase } from '../../support/databases.ts'

const [location = '', secretKey = '', leaseMs = ''] = process.argv.slice(2)
const db = location.startsWith('postgres:')
  ? openPostgres({ url: location, poolSize: 4, ...patientDatabase })
  : openSqlite({ path: location })
const onError = (error: unknown) => console.error(error)
await startWebhooks({
  deliveries: deliveriesIn(db, createSecretBox(Buffer.from(secretKey, 'hex'))),
  clock: systemClock,
  gateway: createGateway({ allow: ['127.0.0.1/32'] }),
  keeper: await keepLease(leasesIn(db), { clock: systemClock, leaseMs: Number(leaseMs), onError }),
  stopGraceMs: 0,
  onError,
})
