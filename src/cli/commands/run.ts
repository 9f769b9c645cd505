import type { Client, Run, RunInput, Submission } from '#client/client.ts'
import { ask, isInteractive } from '../arguments/ask.ts'
import { readDeadline } from '../arguments/deadline.ts'
import { readInputs, readPart } from '../arguments/inputs.ts'
import type { Args, Cli, Run as RunCommand } from '../command.ts'
import { connect } from '../connection.ts'
import { exits, interrupted } from '../terminal/failure.ts'
import { word } from '../terminal/printer.ts'
import { printJson, readId, readWorkflowId } from '../terminal/result.ts'
import { printOutputs, saveOutputs } from '../terminal/run-outputs.ts'
import { showRunProgress } from '../terminal/run-progress.ts'
import { showMoney } from '../terminal/show.ts'

export const run: RunCommand = async (cli, args) => {
  const workflowId = readWorkflowId(args.positional(0))
  const client = connect(cli)
  const inputs = await readInputs(cli, args, { client, workflowId })
  const [callbackUrl, tag] = [args.text('callback-url'), args.text('tag')]
  const maxCost = args.number('max-cost')
  const input: RunInput = {
    inputs,
    ...readPart(args),
    ...readDeadline(args, Date.now()),
    ...(callbackUrl === undefined ? {} : { callbackUrl }),
    ...(maxCost === undefined ? {} : { maxCost }),
    ...(tag === undefined ? {} : { tag }),
  }
  return follow(cli, client, args, (idempotencyKey) =>
    client.runs.submit(workflowId, input, { idempotencyKey, signal: cli.signal }),
  )
}

export const retry: RunCommand = async (cli, args) => {
  const runId = readId(args.positional(0), 'run')
  const client = connect(cli)
  const version = args.flag('newest') ? 'newest' : 'same'
  return follow(cli, client, args, (idempotencyKey) =>
    client.runs.retry(runId, { version, idempotencyKey, signal: cli.signal }),
  )
}

export const waitForRun: RunCommand = (cli, args) =>
  finish(cli, connect(cli), readId(args.positional(0), 'run'), args.text('out'))

async function follow(
  cli: Cli,
  client: Client,
  args: Args,
  submit: (idempotencyKey: string) => Promise<Submission>,
): Promise<number> {
  // Generated here, so that the message after an interrupted submission can name the key.
  const key = args.text('key') ?? crypto.randomUUID()
  const submission = await submit(key).catch((error) => {
    if (!cli.signal.aborted) throw error
    throw interrupted(`The run may have begun. The same command with --key ${key} finds it.`)
  })
  if (submission.idempotentReplay && !cli.json) {
    cli.err.line(`This key started run ${word(submission.runId)} before.`)
  }
  if (!args.flag('no-wait')) return finish(cli, client, submission.runId, args.text('out'))
  if (cli.json) printJson(cli, submission)
  else cli.out.line(word(submission.runId))
  return exits.ok
}

async function finish(
  cli: Cli,
  client: Client,
  runId: string,
  folder: string | undefined,
): Promise<number> {
  const progress = showRunProgress(cli)
  let ended: Run
  try {
    const { signal } = cli
    ended = await client.runs.wait(runId, { signal, onProgress: progress.show })
  } catch (error) {
    progress.end()
    if (cli.signal.aborted) return stopWaiting(cli, client, runId)
    throw error
  }
  progress.end()
  const saved = folder === undefined ? undefined : await saveOutputs(ended, folder, cli.signal)
  if (cli.json) printJson(cli, saved ? { ...ended, files: [...saved.values()] } : ended)
  else {
    printOutputs(cli, ended.outputs, saved)
    printEnd(cli, ended)
  }
  return ended.status === 'COMPLETED' ? exits.ok : exits.failed
}

function printEnd({ err }: Cli, { status, runId, cost, savedCost, inFlightTaskMayComplete }: Run) {
  if (savedCost) err.line(`Reused answers saved ${showMoney(savedCost)}.`)
  if (status === 'COMPLETED') return
  err.line(`The run is ${status}; it cost ${showMoney(cost)}.`)
  if (inFlightTaskMayComplete) {
    err.line('A call already submitted to a provider may still finish and be billed.')
  }
  err.line(`To run again what is missing: atelier retry ${word(runId)}`)
}

/** Ctrl-C stops waiting. On a terminal, the user is asked whether to cancel the run as well. */
async function stopWaiting(cli: Cli, client: Client, runId: string): Promise<number> {
  const hint = `The run continues. To wait for it: atelier runs wait ${runId}\nTo stop it: atelier cancel ${runId}`
  if (!isInteractive(cli) || cli.json) throw interrupted(hint)
  const answer = await ask(cli, 'Stopped waiting. Cancel the run, too? [y/N] ').catch(() => '')
  if (!/^y(es)?$/i.test(answer.trim())) throw interrupted(hint)
  const { status, inFlightTaskMayComplete } = await client.runs.cancel(runId, {
    reason: 'cancelled at the command line',
  })
  cli.err.line(`The run is ${word(status)}.`)
  if (inFlightTaskMayComplete) {
    cli.err.line('A call already submitted to a provider may still finish and be billed.')
  }
  return exits.interrupted
}
