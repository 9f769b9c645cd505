import { writeFile } from 'node:fs/promises'
import type { Client } from '#client/client.ts'
import { ask, isInteractive } from '../arguments/ask.ts'
import { readWorkflowFile, type WorkflowFile } from '../arguments/workflow-file.ts'
import type { Args, Cli, Run } from '../command.ts'
import { connect } from '../connection.ts'
import { CliFailure, exits, usageFailure } from '../terminal/failure.ts'
import { printWarnings, word } from '../terminal/printer.ts'
import { printJson, readWorkflowId } from '../terminal/result.ts'

export const pushWorkflow: Run = async (cli, args) => {
  if (args.flag('new') && args.text('id') !== undefined) {
    throw usageFailure('--new creates a workflow and --id updates one: use only one of them.')
  }
  const file = await readWorkflowFile(cli, args.positional(0))
  const client = connect(cli)
  const id = targetOf(args, file)
  const stored =
    id === null ? await create(cli, client, args, file) : await update(cli, client, args, file, id)
  if (cli.json) printJson(cli, stored)
  else {
    const verb = id === null ? 'Created' : 'Updated'
    cli.out.line(
      `${verb} workflow ${stored.workflowId}, version ${stored.version}: ${word(stored.name)}`,
    )
    if (id === null) {
      cli.err.line(`To change it later: atelier workflow push FILE --id ${stored.workflowId}`)
    }
    // The workflow is stored, so a failure of this additional check is ignored.
    const { workflowId } = stored
    const check = client.workflows.validate(file.data, { workflowId, signal: cli.signal })
    printWarnings(cli.err, (await check.catch(() => null))?.warnings ?? [])
  }
  return exits.ok
}

function targetOf(args: Args, file: WorkflowFile): number | null {
  if (args.flag('new')) return null
  const given = args.text('id')
  return given === undefined ? file.id : readWorkflowId(given)
}

function create({ signal }: Cli, { workflows }: Client, args: Args, file: WorkflowFile) {
  const name = args.text('name') ?? file.name
  if (name === null)
    throw usageFailure('The file has no name for the workflow: pass one with --name.')
  return workflows.create({ name, data: file.data, ...scaleOf(file) }, { signal })
}

async function update(cli: Cli, { workflows }: Client, args: Args, file: WorkflowFile, id: number) {
  const { signal } = cli
  const known = await workflows.get(id, { signal })
  const since =
    file.version !== null && file.version < known.version
      ? ` The file was written at version ${file.version}: later changes would be replaced.`
      : ''
  await mustAgree(
    cli,
    args.flag('yes'),
    `Update workflow ${id}, "${word(known.name)}", from version ${known.version}?${since}`,
  )
  const name = args.text('name') ?? file.name
  const patch = { data: file.data, ...(name === null ? {} : { name }), ...scaleOf(file) }
  // Fails if the workflow has changed since the user agreed to replace it.
  return workflows.update(id, patch, { ifMatch: known.version, signal })
}

const scaleOf = ({ canvasScale }: WorkflowFile) => (canvasScale === null ? {} : { canvasScale })

async function mustAgree(cli: Cli, isAgreed: boolean, question: string) {
  if (isAgreed) return
  if (!isInteractive(cli))
    throw usageFailure(question, 'Cannot ask for confirmation here: pass --yes.')
  const answer = await ask(cli, `${question} [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw declined()
}

const declined = () =>
  new CliFailure('Nothing was changed.', { exitCode: exits.failed, code: 'DECLINED' })

export const pullWorkflow: Run = async (cli, args) => {
  const id = readWorkflowId(args.positional(0))
  const path = args.positional(1)
  const workflow = await connect(cli).workflows.get(id, { signal: cli.signal })
  const { workflowId, name, version, canvasScale, data } = workflow
  const text = `${JSON.stringify({ workflowId, name, version, canvasScale, data }, null, 2)}\n`
  if (path === '-') {
    cli.out.write(text)
    return exits.ok
  }
  await writeFile(path, text, { flag: args.flag('force') ? 'w' : 'wx' }).catch((cause) => {
    const exists = (cause as NodeJS.ErrnoException).code === 'EEXIST'
    throw new CliFailure(exists ? `${path} already exists.` : (cause as Error).message, {
      exitCode: exits.failed,
      code: 'WRITE_FAILED',
      hint: exists ? 'Pass --force to replace it.' : undefined,
      cause,
    })
  })
  if (cli.json) printJson(cli, { workflowId, name, version, file: path })
  else cli.err.line(`Wrote workflow ${id}, version ${version}, to ${path}`)
  return exits.ok
}

export const deleteWorkflow: Run = async (cli, args) => {
  const id = readWorkflowId(args.positional(0))
  const { workflows } = connect(cli)
  const { signal } = cli
  const { name, version } = await workflows.get(id, { signal })
  const confirmed = args.text('confirm') ?? (await askForId(cli, id, name))
  if (confirmed.trim() !== String(id)) throw declined()
  const deleted = await workflows.delete(id, { ifMatch: version, signal })
  if (cli.json) printJson(cli, deleted)
  else cli.out.line(`Deleted workflow ${id}: ${word(name)}`)
  return exits.ok
}

function askForId(cli: Cli, id: number, name: string): Promise<string> {
  if (!isInteractive(cli)) {
    throw usageFailure('Deleting needs a confirmation.', `Pass --confirm ${id}.`)
  }
  return ask(cli, `This deletes workflow ${id}, "${word(name)}", for good. Type ${id} to confirm: `)
}
