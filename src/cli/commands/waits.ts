import type { Args, Cli, Run } from '../command.ts'
import { connect } from '../connection.ts'
import { exits, usageFailure } from '../terminal/failure.ts'
import { word } from '../terminal/printer.ts'
import { printJson, readId } from '../terminal/result.ts'
import { showMinute } from '../terminal/show.ts'
import { printTable } from '../terminal/text-table.ts'

export const listWaits: Run = async (cli, args) => {
  const { signal } = cli
  const list = await connect(cli).waits.list({
    ...{ mine: args.flag('mine') || undefined, workflowId: args.number('workflow') },
    ...{ q: args.text('search'), size: 200, signal },
  })
  if (cli.json) printJson(cli, list)
  else {
    const rows = list.items.map((wait) => [
      wait.runId,
      wait.waitId,
      wait.kind.toLowerCase(),
      wait.title === '' ? wait.nodeId : wait.title,
      wait.workflowName,
      showMinute(wait.expiresAt),
    ])
    printTable(cli.out, ['RUN', 'WAIT', 'FOR', 'TITLE', 'WORKFLOW', 'EXPIRES'], rows)
  }
  return exits.ok
}

export const approveWait: Run = (cli, args) => answer(cli, args, 'approve')
export const rejectWait: Run = (cli, args) => answer(cli, args, 'reject')

async function answer(cli: Cli, args: Args, decision: 'approve' | 'reject'): Promise<number> {
  const runId = readId(args.positional(0), 'run')
  const { waits } = connect(cli)
  const [response, value, comment] = [
    args.text('response'),
    args.text('value'),
    args.text('comment'),
  ]
  const body = {
    decision,
    ...(response === undefined
      ? {}
      : { response: readJson('response', response) as Record<string, unknown> }),
    ...(value === undefined ? {} : { value: readJson('value', value) }),
    ...(comment === undefined ? {} : { comment }),
  }
  const waitId = await waitOf(cli, args, runId)
  const answered = await waits.answer(runId, waitId, body, { signal: cli.signal })
  if (cli.json) printJson(cli, answered)
  else {
    const said = decision === 'approve' ? 'Approved' : 'Rejected'
    const { by, at } = answered.answer
    cli.out.line(`${said} by ${word(by.name ?? by.kind)} at ${showMinute(at)}`)
    if (answered.idempotentReplay) cli.err.line('You had sent this answer before.')
  }
  return exits.ok
}

/** The one that is named, or the only approval that the run waits for. */
async function waitOf(cli: Cli, args: Args, runId: string): Promise<string> {
  const given = args.text('wait')
  if (given !== undefined) return readId(given, 'wait')
  const { waitingFor = [] } = await connect(cli).runs.get(runId, { signal: cli.signal })
  const open = waitingFor.filter(({ kind }) => kind === 'APPROVAL')
  const [only, another] = open
  if (!only) throw usageFailure('The run waits for no approval.')
  if (another) {
    const ids = open.map(({ waitId, path }) => `${waitId} (${path})`).join(', ')
    throw usageFailure(`The run waits for ${open.length} approvals; name one with --wait: ${ids}`)
  }
  return only.waitId
}

function readJson(option: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw usageFailure(`--${option} accepts JSON, such as '{"rating": 5}' or '"text"'.`)
  }
}
