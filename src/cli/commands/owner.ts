import { resetOwner as makeLink, renewOwnerKey } from '#operate/machine/owner-access.ts'
import type { Run } from '../command.ts'
import { exits } from '../terminal/failure.ts'
import { word } from '../terminal/printer.ts'
import { printJson } from '../terminal/result.ts'
import { localServerDeps, waiting } from './at-machine.ts'

export const resetOwner: Run = async (cli) => {
  const { link, email, expiresAtMs, outcome } = await makeLink(localServerDeps(cli))
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
  const { path, outcome } = await renewOwnerKey(localServerDeps(cli))
  if (cli.json) printJson(cli, { path, ready: outcome === 'done' })
  else {
    if (outcome === 'waiting') cli.err.line(`${waiting} the key works from then on.`)
    cli.err.line('The new key is in this file; the previous one is revoked:')
    cli.out.line(path)
  }
  return exits.ok
}
