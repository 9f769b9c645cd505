import { resetOwner as makeLink, renewOwnerKey } from '#app/owner-access.ts'
import { readConfig } from '#config'
import type { Cli, Run } from '../command.ts'
import { exits } from '../terminal/failure.ts'
import { word } from '../terminal/printer.ts'
import { printJson } from '../terminal/result.ts'

/** What a server that is started from this shell would use. */
function asked({ settings, env, clock, signal }: Cli) {
  const config = readConfig({ ...env, DATA_DIR: settings.dataDir })
  return { config, clock, signal, baseUrl: config.BASE_URL || settings.url }
}

const waiting = 'No server has taken this over yet. It does so as soon as it runs:'

export const resetOwner: Run = async (cli) => {
  const { link, email, expiresAtMs, outcome } = await makeLink(asked(cli))
  const expiresAt = new Date(expiresAtMs).toISOString()
  if (cli.json) printJson(cli, { link, email, expiresAt, ready: outcome === 'done' })
  else {
    if (outcome === 'waiting') cli.err.line(`${waiting} start it within the hour.`)
    cli.err.line(`Works once, until ${expiresAt}${email === null ? '' : `, for ${word(email)}`}:`)
    cli.out.line(link)
  }
  return exits.ok
}

export const ownerKey: Run = async (cli) => {
  const { path, outcome } = await renewOwnerKey(asked(cli))
  if (cli.json) printJson(cli, { path, ready: outcome === 'done' })
  else {
    if (outcome === 'waiting') cli.err.line(`${waiting} the key works from then on.`)
    cli.err.line('The new key is in this file; the previous one is revoked:')
    cli.out.line(path)
  }
  return exits.ok
}
