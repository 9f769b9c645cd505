import { systemClock } from '#core/clock.ts'
import { checkConfiguration, checkNode, checkOutbound } from '#operate/doctor/configuration.ts'
import { checkDataFolder } from '#operate/doctor/data-folder.ts'
import { checkDatabase } from '#operate/doctor/database.ts'
import { type Finding, ok } from '#operate/doctor/finding.ts'
import { checkEveryMedia, checkMedia } from '#operate/doctor/media.ts'
import { checkPrices } from '#operate/doctor/prices.ts'
import { checkProviders, withKey } from '#operate/doctor/providers.ts'
import type { Args, Cli, Run } from '../command.ts'
import { exits } from '../terminal/failure.ts'
import { word } from '../terminal/printer.ts'
import { printJson } from '../terminal/result.ts'
import { wrap } from '../terminal/text-table.ts'
import { checkServer } from './doctor-server.ts'

export const doctor: Run = async (cli, args) => {
  const { settings, signal, json } = cli
  const findings: Finding[] = []
  const report = (found: readonly Finding[]) => {
    findings.push(...found)
    if (!json) for (const finding of found) print(cli, finding)
  }
  report([checkNode(process.versions.node)])
  if (settings.isLoopback) await checkHere(cli, args, report)
  else report([ok('configuration', `not checked: ${settings.url} is another machine`)])
  report(await checkServer(settings, signal))
  const failed = findings.filter(({ level }) => level === 'fail').length
  if (json) printJson(cli, { healthy: failed === 0, findings })
  return failed === 0 ? exits.ok : exits.failed
}

/** Checks what a server started from this shell would use. */
async function checkHere(
  { settings, env, signal }: Cli,
  args: Args,
  report: (found: readonly Finding[]) => void,
) {
  const { dataDir } = settings
  const { findings, config, modelsFile } = checkConfiguration({ ...env, DATA_DIR: dataDir })
  report(findings)
  report(await checkDataFolder(dataDir))
  if (config === null) return
  report([await checkDatabase(config, signal)])
  report(await (args.flag('media') ? checkEveryMedia(config) : checkMedia(config)))
  report(await checkProviders({ config, modelsFile }, env, signal))
  report(checkPrices(new Set(withKey(config).map(({ name }) => name)), systemClock.nowMs()))
  report([checkOutbound(config)])
}

const styles = { ok: 'green', warn: 'yellow', fail: 'red' } as const

const checkWidth = 18
const indent = ' '.repeat(checkWidth + 8)

function print({ out }: Cli, { check, level, message, advice }: Finding) {
  const fit = (text: string) => wrap(word(text), out.width() - indent.length - 1)
  const [first = '', ...rest] = fit(message)
  out.line(`${out.paint(styles[level], level.padEnd(4))}  ${check.padEnd(checkWidth)}  ${first}`)
  for (const line of rest) out.line(indent + line)
  for (const line of advice ? fit(advice) : []) out.line(indent + out.paint('dim', line))
}
