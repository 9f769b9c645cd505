// Commands that keep the models and prices of a server on this machine up to date.
import type { Lifecycle } from '#core/lifecycle.ts'
import type { ChangedModel } from '#operate/machine/refresh-models.ts'
import type { Args, Cli, Run } from '../command.ts'
import { exits } from '../terminal/failure.ts'
import { word } from '../terminal/printer.ts'
import { printJson } from '../terminal/result.ts'
import { printTable } from '../terminal/text-table.ts'
import { localServerDeps } from './at-machine.ts'
import { priceOf } from './models.ts'

export const discoverModels: Run = async (cli, args) => {
  const { discoverHere } = await import('#operate/machine/discover-models.ts')
  const { config } = localServerDeps(cli)
  const { text, server, endpoint, added, known, gone } = await discoverHere(
    { config, env: cli.env, signal: cli.signal },
    {
      at: args.positional(0),
      name: args.text('name'),
      keyVariable: args.text('key-variable'),
      isFree: args.flag('free'),
    },
  )
  const written = added.length > 0 ? await write(cli, args, { MODELS_FILE: text }) : []
  if (cli.json) {
    const { name, baseUrl } = endpoint
    printJson(cli, { endpoint: { name, baseUrl }, server, added, known, gone, written })
    return exits.ok
  }
  const states = { new: added, known, 'no longer there': gone }
  const rows = Object.entries(states).flatMap(([state, models]) =>
    models.map(({ id, kind = '', capabilities }) => [
      id,
      kind,
      `${capabilities?.maxInputTokens ?? ''}`,
      state,
    ]),
  )
  printTable(cli.out, ['MODEL', 'KIND', 'CONTEXT', 'STATE'], rows)
  if (added.length > 0) sayWritten(cli, args, written)
  return exits.ok
}

export const refreshModels: Run = async (cli, args) => {
  const { refreshHere } = await import('#operate/machine/refresh-models.ts')
  const { config, clock } = localServerDeps(cli)
  const { text, modelsText, ...found } = await refreshHere(
    { config, env: cli.env, clock, signal: cli.signal },
    { source: args.positional(0), add: args.list('add') },
  )
  const written = await write(cli, args, {
    PRICES_FILE: text,
    ...(modelsText === null ? {} : { MODELS_FILE: modelsText }),
  })
  if (cli.json) {
    printJson(cli, { ...found, written })
    return exits.ok
  }
  const { source, date, changed, inUse, unlisted, added } = found
  cli.out.line(`${word(source)}, ${date}: ${changed.length} of ${inUse} models change.`)
  const rows = changed.map((model) => [model.id, ...wordsOf(model)])
  if (rows.length > 0) printTable(cli.out, ['MODEL', 'NOW', 'THEN'], rows)
  if (unlisted.length > 0) {
    const isAdded = (id: string) => added.some((one) => one.id === id)
    const others = unlisted.map(({ id, kind = '', name = '' }) => [
      id,
      kind,
      isAdded(id) ? 'added' : name,
    ])
    printTable(cli.out, ['NOT LISTED HERE', 'KIND', 'NAME'], others)
  }
  sayWritten(cli, args, written)
  return exits.ok
}

type Written = { path: string; copy: string | null }

/** Nothing is written without --write: what changes is shown first. */
async function write(
  cli: Cli,
  args: Args,
  files: { MODELS_FILE?: string; PRICES_FILE?: string },
): Promise<Written[]> {
  if (!args.flag('write')) return []
  const { writeSettingsFile } = await import('#operate/machine/settings-files.ts')
  const { config } = localServerDeps(cli)
  const written: Written[] = []
  for (const [setting, text] of Object.entries(files)) {
    const nowMs = cli.clock.nowMs()
    const name = setting as 'MODELS_FILE' | 'PRICES_FILE'
    written.push(await writeSettingsFile(config, name, { text, nowMs }))
  }
  return written
}

function sayWritten(cli: Cli, args: Args, written: readonly Written[]): void {
  if (!args.flag('write')) cli.err.line('Nothing is changed yet. Take it with --write.')
  for (const { path, copy } of written) {
    cli.err.line(`Wrote ${path}${copy === null ? '' : ` (before: ${copy})`}`)
  }
}

/** Prices if they change, and otherwise the end of the model. */
function wordsOf({ before, after }: ChangedModel): [string, string] {
  const prices = [before.pricing, after.pricing].map((pricing) => priceOf({ pricing }))
  const ends = [endOf(before.lifecycle), endOf(after.lifecycle)]
  const both = (index: 0 | 1) =>
    [prices[0] === prices[1] ? '' : prices[index], ends[0] === ends[1] ? '' : ends[index]]
      .filter((words) => words !== '')
      .join('; ') || 'other prices'
  return [both(0), both(1)]
}

function endOf(lifecycle: Lifecycle | null): string {
  if (!lifecycle) return 'no end known'
  return lifecycle.shutdownAt === undefined ? 'retiring' : `ends ${lifecycle.shutdownAt}`
}
