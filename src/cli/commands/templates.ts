import type { Client } from '#client/client.ts'
import type { Cli, Run } from '../command.ts'
import { connect } from '../connection.ts'
import { CliFailure, exits } from '../terminal/failure.ts'
import { word } from '../terminal/printer.ts'
import { printJson } from '../terminal/result.ts'
import { printTable, wrap } from '../terminal/text-table.ts'

export const listTemplates: Run = async (cli) => {
  const list = await connect(cli).templates.list({ signal: cli.signal })
  if (cli.json) printJson(cli, list)
  else {
    const rows = list.items.map(({ id, data, name }) => [id, String(data.nodes.length), name])
    printTable(cli.out, ['TEMPLATE', 'NODES', 'NAME'], rows)
  }
  return exits.ok
}

export const showTemplate: Run = async (cli, args) => {
  const template = await find(cli, connect(cli), args.positional(0))
  const { out } = cli
  if (cli.json) {
    printJson(cli, template)
    return exits.ok
  }
  out.line(`${out.paint('bold', word(template.name))} (template ${word(template.id)})`)
  for (const line of wrap(word(template.description), out.width() - 1)) out.line(line)
  out.line()
  const rows = template.data.nodes.map(({ id, type, data }) => [
    String(id),
    String(type),
    String((data as { label?: string } | undefined)?.label ?? ''),
  ])
  printTable(out, ['NODE', 'TYPE', 'LABEL'], rows)
  out.line()
  out.line(`Inputs to try it with: ${word(JSON.stringify(template.sampleInputs))}`)
  return exits.ok
}

export const createFromTemplate: Run = async (cli, args) => {
  const client = connect(cli)
  const { id, name, data } = await find(cli, client, args.positional(0))
  const workflow = { name: args.text('name') ?? name, data }
  const stored = await client.workflows.create(workflow, { signal: cli.signal })
  if (cli.json) printJson(cli, stored)
  else {
    cli.out.line(`Created workflow ${stored.workflowId}: ${word(stored.name)}`)
    cli.err.line(
      `To try it: atelier templates show ${word(id)} --json | jq .sampleInputs | atelier run ${stored.workflowId} --inputs -`,
    )
  }
  return exits.ok
}

async function find({ signal }: Cli, { templates }: Client, id: string) {
  const { items } = await templates.list({ signal })
  const template = items.find((one) => one.id === id)
  if (template) return template
  throw new CliFailure(`There is no template "${word(id)}".`, {
    exitCode: exits.failed,
    code: 'TEMPLATE_NOT_FOUND',
    hint: '"atelier templates" lists them.',
  })
}
