import type { Run } from '../command.ts'
import { exits } from '../terminal/failure.ts'
import { printJson } from '../terminal/result.ts'
import { configOf, warnOfLost, withProgress } from './data-command.ts'

export const migrateStore: Run = async (cli) => {
  const config = configOf(cli)
  const { migrateStore: move } = await import('#operate/backup/migrate-store.ts')
  const { restored, keptAs } = await withProgress(cli, (deps) => move(config, deps))
  const { rows, blobs, lost } = restored
  if (cli.json) printJson(cli, { rows, blobs, lost, keptAs })
  else {
    warnOfLost(cli, lost)
    cli.out.line(`Moved ${rows} rows and ${blobs} media files; both sides were compared.`)
    cli.out.line(`The old database is now ${keptAs}. Start the server with the same environment.`)
  }
  return exits.ok
}
