import { extname } from 'node:path'
import type { Client, Task } from '#client/client.ts'
import { chooseModel } from '../arguments/choose-model.ts'
import { downloadTo, mimeTypes } from '../arguments/download.ts'
import { pictureUrl, withPictures } from '../arguments/reference-pictures.ts'
import type { Args, Cli, Run } from '../command.ts'
import { connect } from '../connection.ts'
import { exits, interrupted } from '../terminal/failure.ts'
import { animate, fit, openLiveArea, spinnerAt } from '../terminal/live.ts'
import { word } from '../terminal/printer.ts'
import { readPrompt } from '../terminal/prompt.ts'
import { printJson, readId } from '../terminal/result.ts'
import { showMoney, showSpan } from '../terminal/show.ts'

export const image: Run = async (cli, args) => {
  const mask = args.text('mask')
  return generate(cli, args, 'IMAGE', {
    mask: mask === undefined ? undefined : await pictureUrl(mask),
    imageAspectRatio: args.text('aspect-ratio'),
    imageQuality: args.text('quality'),
    imageSampleSize: args.text('size'),
  })
}

export const video: Run = (cli, args) =>
  generate(cli, args, 'VIDEO', {
    videoAspectRatio: args.text('aspect-ratio'),
    videoSeconds: args.number('seconds'),
    videoResolution: args.text('resolution'),
    videoGenerateAudio: args.flag('audio') || undefined,
  })

export const waitForTask: Run = (cli, args) => {
  const taskId = readId(args.positional(0), 'task')
  return finish(cli, connect(cli), taskId, args.text('out') ?? '.')
}

async function generate(cli: Cli, args: Args, kind: 'IMAGE' | 'VIDEO', settings: object) {
  const picture = args.text('image')
  const prompt = await readPrompt(cli, args.positionals)
  const content = await withPictures(prompt, picture === undefined ? [] : [picture])
  const client = connect(cli)
  const { signal } = cli
  const model = await chooseModel(client, kind, args.text('model'), signal)
  // Undefined values are dropped when the request becomes JSON.
  const request = { model, messages: [{ role: 'user' as const, content }], ...settings }
  const accepted = await (kind === 'IMAGE' ? client.images : client.videos).generate(request, {
    signal,
  })
  if (!args.flag('no-wait')) return finish(cli, client, accepted.taskId, args.text('out') ?? '.')
  if (cli.json) printJson(cli, accepted)
  else cli.out.line(accepted.taskId)
  return exits.ok
}

async function finish(cli: Cli, client: Client, taskId: string, out: string): Promise<number> {
  const task = await wait(cli, client, taskId)
  if (task.status !== 'COMPLETED') {
    if (cli.json) printJson(cli, { ...task, files: [] })
    else cli.err.line(`${cli.err.paint('red', task.status)} ${word(reasonOf(task))}`)
    return exits.failed
  }
  const media = [...(task.imageContent ?? []), ...(task.videoContent ?? [])]
  const items = media.map((one, i) => ({
    media: one,
    stem: i === 0 ? `atelier-${taskId}` : `atelier-${taskId}-${i + 1}`,
  }))
  const files = await downloadTo(items, out, cli.signal)
  if (cli.json) printJson(cli, { ...task, files })
  else for (const file of files) cli.out.line(file)
  const [first] = media
  const expected = mimeTypes[extname(files[0] ?? '').toLowerCase()]
  if (first && expected !== undefined && expected !== first.mimeType) {
    cli.err.line(`The content is ${word(first.mimeType)}, although the file name says otherwise.`)
  }
  return exits.ok
}

const reasonOf = ({ error }: Task): string => (error ? `${error.code}: ${error.message}` : '')

async function wait(cli: Cli, client: Client, taskId: string): Promise<Task> {
  const progress = showTask(cli, taskId)
  try {
    const { signal } = cli
    const task = await client.tasks.wait(taskId, { signal, onProgress: progress.show })
    progress.end(task)
    return task
  } catch (error) {
    progress.end(null)
    if (cli.signal.aborted) {
      throw interrupted(`The task continues. To wait for it: atelier tasks wait ${taskId}`)
    }
    throw error
  }
}

function showTask({ err, clock, json }: Cli, taskId: string) {
  if (json) return { show() {}, end() {} }
  if (!err.isStyled) {
    let last = ''
    const show = ({ status, model, createdAt, completedAt, cost }: Task) => {
      if (status === last) return
      last = status
      const spent =
        completedAt === null ? '' : ` ${showSpan(createdAt, completedAt, 0)} ${showMoney(cost)}`
      err.line(word(`task ${taskId} ${status} ${model}${spent}`))
    }
    return { show, end() {} }
  }
  let latest: Task | null = null
  const lines = () => {
    const nowMs = clock.nowMs()
    const state = latest
      ? `${latest.status} ${latest.model} ${showSpan(latest.createdAt, null, nowMs)}`
      : 'submitted'
    return [fit(`${spinnerAt(nowMs)} ${word(state)}`, err)]
  }
  const animation = animate(openLiveArea(err), lines)
  return {
    show(task: Task) {
      latest = task
    },
    end(task: Task | null) {
      animation.stop()
      if (task?.status !== 'COMPLETED') return
      const facts = [
        word(task.model),
        showSpan(task.createdAt, task.completedAt, 0),
        showMoney(task.cost),
      ]
      err.line(err.paint('dim', facts.filter((fact) => fact !== '').join(' · ')))
    },
  }
}
