import { homedir } from 'node:os'
import type { Model } from '#client/client.ts'
import { agentSettings, settingsOf, type Target } from '../agents/agent-settings.ts'
import { contentOf, type Written, writeSettings } from '../agents/settings-file.ts'
import type { Cli, Run } from '../command.ts'
import { connect } from '../connection.ts'
import { type ConsoleApi, withConsoleApi } from '../console-api.ts'
import { CliFailure, exits, usageFailure } from '../terminal/failure.ts'
import { word } from '../terminal/printer.ts'
import { printJson } from '../terminal/result.ts'

/** What a person at a terminal spends in a month of ordinary work, at most. */
const defaultLimit = 20

type Settings = NonNullable<ReturnType<typeof settingsOf>>
type MadeKey = { id: string; key: string }

/** Makes a key for one agent, and prints or writes the settings with which it uses this server. */
export const connectAgent: Run = async (cli, args) => {
  const name = args.positional(0)
  const settings = settingsOf(name)
  if (!settings) {
    const known = Object.keys(agentSettings).join(', ')
    throw usageFailure(`"${name}" is not an agent that is known here.`, `These are: ${known}.`)
  }
  const spendPerMonth = args.number('limit') ?? defaultLimit
  if (spendPerMonth <= 0) throw usageFailure('--limit must be more than 0.')
  const { target, written } = await withConsoleApi(cli, async (api) => {
    const made = await makeKey(api, name, spendPerMonth)
    try {
      const model = await findModel(cli, made, args.text('model'))
      const target: Target = { url: cli.settings.url, key: made.key, model }
      const written = args.flag('write') ? await writeAll(cli, settings, target) : null
      return { target, written }
    } catch (error) {
      // Nobody has it.
      await api.call({ method: 'DELETE', path: `/api-keys/${made.id}` })
      throw error
    }
  })
  const { key, model } = target
  if (written) {
    if (cli.json) printJson(cli, { agent: name, model, spendPerMonth, written })
    else for (const file of written) cli.out.line(`Wrote ${file.path}${copyOf(file)}`)
  } else if (cli.json) {
    const files = settings.files(target).map((file) => ({ path: file.path, text: contentOf(file) }))
    printJson(cli, { agent: name, model, spendPerMonth, key, files })
  } else printSettings(cli, settings, target)
  cli.err.line(
    `The key is named "${name}" and spends at most $${spendPerMonth} in a month, on ${word(model)}. Start ${settings.title} with: ${settings.start}`,
  )
  return exits.ok
}

const makeKey = async (api: ConsoleApi, name: string, spendPerMonth: number): Promise<MadeKey> =>
  (await api.call({
    method: 'POST',
    path: '/api-keys',
    body: { name, scopes: ['models:read', 'chat:write'], limits: { spendPerMonth } },
  })) as MadeKey

/** The model that was asked for, or the first of this server that is no demonstration. */
async function findModel(cli: Cli, { key }: MadeKey, given: string | undefined): Promise<string> {
  const client = connect({ ...cli, settings: { ...cli.settings, apiKey: key } })
  const { items } = await client.models.list({ signal: cli.signal })
  const texts = items.filter(({ kind }) => kind === 'TEXT' || kind === 'CODE')
  const chosen = given === undefined ? firstOf(texts) : texts.find(({ id }) => id === given)
  if (!chosen) {
    throw new CliFailure(`The server has no text model${given ? ` "${word(given)}"` : ''}.`, {
      exitCode: exits.failed,
      code: 'MODEL_NOT_FOUND',
      hint: '"atelier models" lists the models.',
    })
  }
  if (chosen.pricing === null) {
    throw new CliFailure(`The price of ${chosen.id} is not known, so no limit can hold for it.`, {
      exitCode: exits.failed,
      code: 'UNPRICED_MODEL',
      hint: `Set one with "atelier prices set ${chosen.id}", or choose another with --model.`,
    })
  }
  return chosen.id
}

const firstOf = (models: Model[]): Model | undefined =>
  models.find(({ demo, pricing }) => !demo && pricing !== null) ?? models[0]

async function writeAll(cli: Cli, settings: Settings, target: Target): Promise<Written[]> {
  const home = cli.env.HOME || homedir()
  const written: Written[] = []
  for (const file of settings.files(target)) {
    written.push(await writeSettings(home, file, { key: target.key, nowMs: cli.clock.nowMs() }))
  }
  return written
}

const copyOf = ({ backup }: Written): string =>
  backup === null ? '' : ` (what was there is in ${backup})`

/** Variables can be evaluated by a shell; files follow one another, each below its name. */
function printSettings({ out, err }: Cli, settings: Settings, target: Target): void {
  const variables = Object.entries(settings.variables?.(target) ?? {})
  for (const [name, value] of variables) {
    out.line(`export ${name}='${value.replaceAll("'", "'\\''")}'`)
  }
  if (variables.length > 0) return
  for (const file of settings.files(target)) {
    err.line(`To be put into ~/${file.path}:`)
    out.write(contentOf(file))
  }
}
