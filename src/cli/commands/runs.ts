import type { Run as RunCommand } from '../command.ts'
import { connect } from '../connection.ts'
import { exits } from '../terminal/failure.ts'
import { prose, word } from '../terminal/printer.ts'
import { printJson, readId, readWorkflowId } from '../terminal/result.ts'
import { runFrame } from '../terminal/run-frame.ts'
import { printOutputs } from '../terminal/run-outputs.ts'
import { showMinute, showMoney, showSpan } from '../terminal/show.ts'
import { statusCell } from '../terminal/status.ts'
import { printTable } from '../terminal/text-table.ts'

export const listRuns: RunCommand = async (cli, args) => {
  const workflowId = readWorkflowId(args.positional(0))
  const [page = 1, size = 20] = [args.number('page'), args.number('size')]
  const list = await connect(cli).runs.list(workflowId, { page, size, signal: cli.signal })
  if (cli.json) printJson(cli, list)
  else {
    const nowMs = cli.clock.nowMs()
    const rows = list.items.map((run) => [
      run.runId,
      statusCell(run.status),
      showMinute(run.createdAt),
      showSpan(run.createdAt, run.completedAt, nowMs),
      `${run.progress.completed}/${run.progress.total}`,
      showMoney(run.cost),
    ])
    printTable(cli.out, ['RUN', 'STATUS', 'CREATED', 'TOOK', 'NODES', 'COST'], rows)
    if (list.total > list.items.length) {
      cli.err.line(`Page ${list.page} of ${list.totalPages}; ${list.total} runs.`)
    }
  }
  return exits.ok
}

export const getRun: RunCommand = async (cli, args) => {
  const runId = readId(args.positional(0), 'run')
  const { runs } = connect(cli)
  const nodeId = args.text('node')
  const { out, signal } = cli
  if (nodeId !== undefined) {
    const node = await runs.node(runId, nodeId, { signal })
    if (cli.json) printJson(cli, node)
    else out.line(prose(JSON.stringify(node, null, 2), out))
    return exits.ok
  }
  const run = await runs.get(runId, { signal })
  if (cli.json) printJson(cli, run)
  else {
    // Print all nodes: unlike the live display, this need not fit the screen.
    const page = { ...out, height: () => Number.POSITIVE_INFINITY }
    for (const line of runFrame(run, page, cli.clock.nowMs())) out.line(line)
    printOutputs(cli, run.outputs)
  }
  return exits.ok
}

export const listItems: RunCommand = async (cli, args) => {
  const runId = readId(args.positional(0), 'run')
  const [page, size] = [args.number('page'), args.number('size')]
  const status = args.flag('failed') ? 'FAILED' : undefined
  const path = args.positional(1)
  const list = await connect(cli).runs.items(runId, path, {
    ...{ status, page, size, signal: cli.signal },
  })
  if (cli.json) printJson(cli, list)
  else {
    const rows = list.items.map((item) => [
      String(item.index),
      statusCell(item.status),
      item.cost === null ? '' : showMoney(item.cost),
      item.error === null ? '' : `${item.error.code}: ${item.error.message}`,
    ])
    printTable(cli.out, ['ITEM', 'STATUS', 'COST', 'ERROR'], rows)
    if (list.total > list.items.length) {
      cli.err.line(`Page ${list.page} of ${list.totalPages}; ${list.total} items.`)
    }
  }
  return exits.ok
}

export const cancelRun: RunCommand = async (cli, args) => {
  const runId = readId(args.positional(0), 'run')
  const reason = args.text('reason')
  const cancelled = await connect(cli).runs.cancel(runId, { reason, signal: cli.signal })
  if (cli.json) {
    printJson(cli, cancelled)
    return exits.ok
  }
  const { status, accepted, inFlightTaskMayComplete } = cancelled
  cli.out.line(accepted ? word(status) : `It had ended: ${word(status)}`)
  if (inFlightTaskMayComplete) {
    cli.err.line('A call already submitted to a provider may still finish and be billed.')
  }
  return exits.ok
}
