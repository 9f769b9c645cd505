import type { Estimate } from '#client/client.ts'
import { readDeadline } from '../arguments/deadline.ts'
import { readInputs, readPart } from '../arguments/inputs.ts'
import { readWorkflowFile } from '../arguments/workflow-file.ts'
import type { Cli, Run } from '../command.ts'
import { connect } from '../connection.ts'
import { exits } from '../terminal/failure.ts'
import { printWarnings, word } from '../terminal/printer.ts'
import { printJson, readWorkflowId } from '../terminal/result.ts'
import { count, showMinute, showMoney } from '../terminal/show.ts'
import { printTable, wrap } from '../terminal/text-table.ts'

export const listWorkflows: Run = async (cli, args) => {
  const page = args.number('page') ?? 1
  const list = await connect(cli).workflows.list({ page, signal: cli.signal })
  if (cli.json) printJson(cli, list)
  else {
    const rows = list.items.map((one) => [
      String(one.workflowId),
      String(one.version),
      String(one.nodeCount),
      showMinute(one.updatedAt),
      one.name,
    ])
    printTable(cli.out, ['WORKFLOW', 'VERSION', 'NODES', 'CHANGED', 'NAME'], rows)
    if (list.totalPages > 1) cli.err.line(`Page ${list.page} of ${list.totalPages}.`)
  }
  return exits.ok
}

export const getWorkflow: Run = async (cli, args) => {
  const id = readWorkflowId(args.positional(0))
  const { workflows } = connect(cli)
  const { signal } = cli
  const workflow = await workflows.get(id, { signal })
  if (cli.json) {
    printJson(cli, workflow)
    return exits.ok
  }
  const { inputSchema, unsupportedNodes } = await workflows.schema(id, { signal })
  const { out } = cli
  out.line(
    `${out.paint('bold', word(workflow.name))} (workflow ${id}, version ${workflow.version})`,
  )
  const required = new Set((inputSchema.required as string[] | undefined) ?? [])
  const inputs = Object.entries((inputSchema.properties ?? {}) as Record<string, { type?: string }>)
  if (inputs.length > 0) {
    out.line()
    const rows = inputs.map(([name, { type }]) => [
      name,
      type ?? 'any',
      required.has(name) ? 'yes' : '',
    ])
    printTable(out, ['INPUT', 'TYPE', 'REQUIRED'], rows)
  }
  out.line()
  const rows = workflow.data.nodes.map(({ id: nodeId, type, data }) => [
    String(nodeId),
    String(type),
    String((data as { label?: string } | undefined)?.label ?? ''),
  ])
  printTable(out, ['NODE', 'TYPE', 'LABEL'], rows)
  for (const { nodeId, message } of unsupportedNodes) {
    cli.err.line(`${cli.err.paint('yellow', 'warning')} ${word(nodeId)}: ${word(message)}`)
  }
  return exits.ok
}

export const validateWorkflow: Run = async (cli, args) => {
  const { data, id } = await readWorkflowFile(cli, args.positional(0))
  const { signal } = cli
  const checked = await connect(cli).workflows.validate(data, {
    signal,
    workflowId: id ?? undefined,
  })
  if (cli.json) printJson(cli, checked)
  else {
    const { out } = cli
    for (const { code, path, message } of checked.errors) {
      out.line(`${out.paint('red', 'error')} ${word(`${code} ${path}: ${message}`)}`)
    }
    printWarnings(out, checked.warnings)
    const size = `${count(checked.nodeCount, 'node')}, ${count(checked.connectionCount, 'connection')}`
    out.line(
      checked.valid
        ? `${out.paint('green', 'valid')} (${size})`
        : `${out.paint('red', 'not valid')}: ${count(checked.errors.length, 'error')}`,
    )
  }
  return checked.valid ? exits.ok : exits.failed
}

export const estimateWorkflow: Run = async (cli, args) => {
  const workflowId = readWorkflowId(args.positional(0))
  const client = connect(cli)
  const inputs = await readInputs(cli, args, { client, workflowId })
  const body = { inputs, ...readPart(args), ...readDeadline(args, Date.now()) }
  const estimate = await client.workflows.estimate(workflowId, body, { signal: cli.signal })
  if (cli.json) printJson(cli, estimate)
  else printEstimate(cli, estimate)
  return exits.ok
}

function printEstimate({ out }: Cli, estimate: Estimate) {
  const { estimatedCost, lowCost, highCost, currency, exact } = estimate
  const show = (amount: number | null) =>
    amount === null ? 'unknown' : showMoney({ amount, currency })
  const about = exact || lowCost === highCost ? '' : ` (from ${show(lowCost)} to ${show(highCost)})`
  out.line(`${out.paint('bold', show(estimatedCost))}${about}`)
  if (estimate.savedCost !== undefined) {
    const nodes = estimate.reusableNodes?.join(', ') || 'none'
    out.line(`Reused answers save ${show(estimate.savedCost)}. Nodes that need not run: ${nodes}`)
  }
  if (estimate.economy) {
    const nodes = estimate.economy.normalNodes.join(', ') || 'none'
    const later = show(estimate.economy.estimatedCost)
    out.line(`With --economy about ${later}. Nodes at the normal price: ${nodes}`)
  }
  const paid = estimate.nodeEstimates.filter(({ model, calls }) => model !== null || calls > 0)
  if (paid.length > 0) {
    out.line()
    const rows = paid.map((node) => [
      node.nodeId,
      node.model ?? '',
      String(node.calls),
      show(node.estimatedCost),
    ])
    printTable(out, ['NODE', 'MODEL', 'CALLS', 'COST'], rows)
  }
  if (estimate.assumptions.length > 0) out.line()
  for (const assumption of estimate.assumptions) {
    for (const line of wrap(word(assumption), out.width() - 1)) out.line(line)
  }
}
