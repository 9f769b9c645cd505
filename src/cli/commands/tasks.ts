import type { Run } from '../command.ts'
import { connect } from '../connection.ts'
import { exits } from '../terminal/failure.ts'
import { word } from '../terminal/printer.ts'
import { printJson, readId } from '../terminal/result.ts'
import { showMinute, showMoney, showTime } from '../terminal/show.ts'
import { statusCell } from '../terminal/status.ts'
import { printTable, tableLines } from '../terminal/text-table.ts'
import { waitWords } from '../terminal/wait-words.ts'

export const listTasks: Run = async (cli, args) => {
  const [page = 1, size = 20] = [args.number('page'), args.number('size')]
  const list = await connect(cli).tasks.list({ page, size, signal: cli.signal })
  if (cli.json) printJson(cli, list)
  else {
    const rows = list.items.map((task) => [
      task.taskId,
      statusCell(task.status),
      showMinute(task.createdAt),
      showMoney(task.cost),
      task.promptPreview,
    ])
    printTable(cli.out, ['TASK', 'STATUS', 'CREATED', 'COST', 'PROMPT'], rows)
    if (list.total > list.items.length) {
      cli.err.line(`Page ${list.page} of ${list.totalPages}; ${list.total} tasks.`)
    }
  }
  return exits.ok
}

export const getTask: Run = async (cli, args) => {
  const task = await connect(cli).tasks.get(readId(args.positional(0), 'task'), {
    signal: cli.signal,
  })
  if (cli.json) {
    printJson(cli, task)
    return exits.ok
  }
  const media = [...(task.imageContent ?? []), ...(task.videoContent ?? [])]
  const rows = [
    ['task', task.taskId],
    ['status', statusCell(task.status)],
    ['kind', task.kind],
    ['model', task.model],
    ['prompt', task.promptPreview],
    ['created', showTime(task.createdAt)],
    ['ended', showTime(task.completedAt)],
    ['cost', showMoney(task.cost)],
    ...(task.runId ? [['run', task.runId]] : []),
    ...(task.waitReason ? [['waits', waitWords(task.waitReason)]] : []),
    ...(task.error ? [['error', `${task.error.code}: ${task.error.message}`]] : []),
  ]
  for (const line of tableLines(cli.out, rows)) cli.out.line(line)
  // URLs are never cut to the width of the terminal, because only a whole URL works.
  for (const { url, mimeType } of media) cli.out.line(word(`${mimeType} ${url}`))
  return exits.ok
}
