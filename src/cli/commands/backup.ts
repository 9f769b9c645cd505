import { resolve } from 'node:path'
import type { Run } from '../command.ts'
import { exits } from '../terminal/failure.ts'
import { printJson } from '../terminal/result.ts'
import { configOf, showBytes, warnOfLost, withProgress } from './data-command.ts'

const secretKeyElsewhere =
  'SECRET_KEY is in the environment and not in the backup. Keep it elsewhere: without it nobody can read the stored secrets.'

export const backup: Run = async (cli, args) => {
  const folder = resolve(args.positional(0))
  const config = configOf(cli)
  const { backup: write } = await import('#operate/backup/back-up.ts')
  const { manifest, lost } = await withProgress(cli, (deps) => write(config, folder, deps))
  const rows = manifest.tables.reduce((total, { lines }) => total + lines, 0)
  const { lines: blobs, bytes } = manifest.blobs
  const { takenAt } = manifest
  if (cli.json) printJson(cli, { folder, takenAt, rows, blobs, bytes, lost })
  else {
    warnOfLost(cli, lost)
    if (config.SECRET_KEY !== '') cli.err.line(secretKeyElsewhere)
    cli.out.line(`${folder}: ${rows} rows, ${blobs} media files (${showBytes(bytes)}), ${takenAt}`)
  }
  return exits.ok
}
