// A process that only fires triggers, to be killed: `scheduler-process.ts <address> <nodes>`.
import { systemClock } from '#core/clock.ts'
import { startScheduler } from '#engine/triggers/scheduler.ts'
import { triggersIn } from '#store/engine/triggers.ts'
import { openPostgres } from '#store/postgres/database.ts'
import { submitted } from '../contract/triggers/setting.ts'

const [url = '', nodeCount] = process.argv.slice(2)
const db = openPostgres({ url, poolSize: 4 })
startScheduler({
  triggers: triggersIn(db, systemClock),
  start: submitted(db, Number(nodeCount)),
  onError: () => {},
  clock: systemClock,
})
process.send?.('ready')
// Ends with whoever started it.
process.on('disconnect', () => process.exit(1))
