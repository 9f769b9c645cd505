import type { Client, Firing, NewTrigger, Trigger } from '#client/client.ts'
import { readInputs, readObject } from '../arguments/inputs.ts'
import type { Args, Cli, Run } from '../command.ts'
import { connect } from '../connection.ts'
import { CliFailure, exits, usageFailure } from '../terminal/failure.ts'
import { word } from '../terminal/printer.ts'
import { printJson, readId, readWorkflowId } from '../terminal/result.ts'
import { showMinute } from '../terminal/show.ts'
import { statusCell } from '../terminal/status.ts'
import { printTable } from '../terminal/text-table.ts'

export const listTriggers: Run = async (cli, args) => {
  const workflow = args.text('workflow')
  const workflowId = workflow === undefined ? null : readWorkflowId(workflow)
  const items = await allTriggers(cli, connect(cli), workflowId)
  if (cli.json) printJson(cli, { items })
  else {
    const rows = items.map((trigger) => [
      trigger.triggerId,
      String(trigger.workflowId),
      trigger.kind,
      stateOf(trigger),
      showMinute(trigger.nextFirings[0] ?? null),
      trigger.lastFiring ? outcomeOf(trigger.lastFiring) : '',
      trigger.name,
    ])
    printTable(cli.out, ['TRIGGER', 'WORKFLOW', 'KIND', 'STATE', 'NEXT', 'LAST', 'NAME'], rows)
  }
  return exits.ok
}

const stateOf = ({ enabled, paused }: Trigger): string =>
  paused ? `paused: ${paused.reason}` : enabled ? 'on' : 'off'

const outcomeOf = ({ status, reason, runStatus }: Firing): string => runStatus ?? reason ?? status

export const createTrigger: Run = async (cli, args) => {
  const workflowId = readWorkflowId(args.positional(0))
  const client = connect(cli)
  const settings = args.text('settings')
  const more = settings === undefined ? {} : await readObject(cli, settings)
  const inputs = await readInputs(cli, args, { client, workflowId })
  const { kind, name, ...chosen } = whenOf(args)
  const trigger = {
    ...more,
    ...chosen,
    kind,
    name: args.text('name') ?? (more.name as string | undefined) ?? name,
    ...(Object.keys(inputs).length > 0 ? { inputs } : {}),
  }
  const made = await client.triggers.create(workflowId, trigger, { signal: cli.signal })
  if (cli.json) printJson(cli, made)
  else {
    cli.out.line(`Created trigger ${made.triggerId}: ${word(made.name)}`)
    for (const at of made.nextFirings) cli.out.line(`  fires ${showMinute(at)}`)
    if (made.url) {
      cli.out.line(made.url)
      cli.err.line('Keep this address: it is not shown again.')
    }
  }
  return exits.ok
}

function whenOf(args: Args): Pick<NewTrigger, 'kind' | 'name'> & Partial<NewTrigger> {
  const [cron, every, at] = [args.text('cron'), args.number('every'), args.text('at')]
  const given = [cron, every, at, args.flag('webhook') || undefined]
  if (given.filter((one) => one !== undefined).length !== 1) {
    throw usageFailure('Choose one of --cron, --every, --at and --webhook.')
  }
  const zone = args.text('zone')
  if (zone !== undefined && cron === undefined) throw usageFailure('--zone belongs to --cron.')
  if (cron !== undefined) {
    const timeZone = zone ?? 'UTC'
    return { kind: 'SCHEDULE', name: `${cron} ${timeZone}`, cron, timeZone }
  }
  if (every !== undefined) {
    return { kind: 'SCHEDULE', name: `every ${every} s`, everySeconds: every }
  }
  return at === undefined ? { kind: 'WEBHOOK', name: 'webhook' } : { kind: 'ONCE', name: at, at }
}

const switched =
  (enabled: boolean): Run =>
  async (cli, args) => {
    const { client, trigger } = await find(cli, args)
    const { workflowId, triggerId } = trigger
    const changed = await client.triggers.update(
      workflowId,
      triggerId,
      { enabled },
      { signal: cli.signal },
    )
    if (cli.json) printJson(cli, changed)
    else cli.out.line(`${word(changed.name)} is ${stateOf(changed)}`)
    return exits.ok
  }
export const switchOn = switched(true)
export const switchOff = switched(false)

export const fireTrigger: Run = async (cli, args) => {
  const { client, trigger } = await find(cli, args)
  const fired = await client.triggers.fire(trigger.workflowId, trigger.triggerId, {
    signal: cli.signal,
  })
  if (cli.json) printJson(cli, fired)
  else cli.out.line(fired.runId ?? `${outcomeOf(fired)}: ${word(fired.message ?? '')}`)
  return fired.status === 'SKIPPED' ? exits.failed : exits.ok
}

export const listFirings: Run = async (cli, args) => {
  const { client, trigger } = await find(cli, args)
  const { signal } = cli
  const list = await client.triggers.firings(trigger.workflowId, trigger.triggerId, { signal })
  if (cli.json) printJson(cli, list)
  else {
    const rows = list.items.map((firing) => [
      showMinute(firing.scheduledAt),
      statusCell(outcomeOf(firing)),
      firing.count > 1 ? String(firing.count) : '',
      firing.runId ?? firing.message ?? '',
    ])
    printTable(cli.out, ['SCHEDULED', 'OUTCOME', 'COUNT', 'RUN OR REASON'], rows)
  }
  return exits.ok
}

export const deleteTrigger: Run = async (cli, args) => {
  const { client, trigger } = await find(cli, args)
  const { workflowId, triggerId, name } = trigger
  const deleted = await client.triggers.delete(workflowId, triggerId, { signal: cli.signal })
  if (cli.json) printJson(cli, deleted)
  else cli.out.line(`Deleted trigger ${triggerId}: ${word(name)}`)
  return exits.ok
}

async function allTriggers(
  { signal }: Cli,
  { triggers }: Client,
  workflowId: number | null,
): Promise<Trigger[]> {
  const items: Trigger[] = []
  for (let cursor: string | undefined; ; ) {
    const list = await triggers.list(workflowId, { cursor, size: 200, signal })
    items.push(...list.items)
    if (list.next === null) return items
    cursor = list.next
  }
}

/** By its identifier alone: which workflow it belongs to is looked up. */
async function find(cli: Cli, args: Args): Promise<{ client: Client; trigger: Trigger }> {
  const id = readId(args.positional(0), 'trigger')
  const client = connect(cli)
  const trigger = (await allTriggers(cli, client, null)).find((one) => one.triggerId === id)
  if (trigger) return { client, trigger }
  throw new CliFailure(`There is no trigger ${id}.`, {
    exitCode: exits.failed,
    code: 'TRIGGER_NOT_FOUND',
    hint: '"atelier triggers" lists them.',
  })
}
