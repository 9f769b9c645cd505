import { resolve } from 'node:path'
import type { Run } from '../command.ts'
import { exits } from '../terminal/failure.ts'
import { printJson } from '../terminal/result.ts'
import { configOf, warnOfLost, withProgress } from './data-command.ts'

export const restore: Run = async (cli, args) => {
  const folder = resolve(args.positional(0))
  const { checkBackup, restore: fill } = await import('#operate/backup/restore-folder.ts')
  if (args.flag('check')) {
    const { takenAt } = await withProgress(cli, (deps) => checkBackup(folder, deps.onProgress))
    if (cli.json) printJson(cli, { folder, takenAt, whole: true })
    else cli.out.line(`${folder} is whole, of ${takenAt}`)
    return exits.ok
  }
  const config = configOf(cli)
  const origin = args.flag('trust') ? 'trusted' : 'verified'
  const unfinished = args.flag('resume') ? 'resume' : 'close'
  const { manifest, restored } = await withProgress(cli, (deps) =>
    fill(config, folder, { ...deps, unfinished, origin }),
  )
  const { takenAt } = manifest
  const { rows, blobs, lost, closed } = restored
  if (cli.json) printJson(cli, { folder, takenAt, rows, blobs, lost, closed })
  else {
    warnOfLost(cli, lost)
    cli.out.line(`Restored ${rows} rows and ${blobs} media files of ${takenAt}.`)
    const { runs, tasks, webhooks } = closed
    if (runs + tasks + webhooks > 0)
      cli.out.line(
        `Ended as failed, because the original may have continued them: ${runs} runs, ${tasks} tasks, ${webhooks} webhooks.`,
      )
    cli.out.line('Start the server with the same environment: atelier start')
  }
  return exits.ok
}
