// The main thread's end of the line to the thread that writes SQLite. Promises that orders arrive
// as they were sent and that each which wants an answer gets one, whatever becomes of the thread.
import { Worker } from 'node:worker_threads'
import { type Statement, StoreUnavailable } from './db.ts'
import { rowMaker } from './sqlite-connection.ts'
import {
  type NumberedStatement,
  type Order,
  type Replies,
  type Reply,
  type Returned,
  toError,
} from './sqlite-orders.ts'

const maxTexts = 500

type Text = { number: number; toRow?: (values: unknown[]) => object }
type Answered = (outcome: Outcome) => void
type Waiting = { texts: readonly Text[]; answered: Answered }
/** What each statement returned, or why there is nothing. */
export type Outcome = { rows: unknown[][] } | { error: unknown }

export type SqliteLink = {
  /** A whole job. */
  all(statements: readonly Statement[], answered: Answered): void
  open(): void
  /** A statement of the job that is open. */
  run(statement: Statement, answered: Answered): void
  end(how: 'keep' | 'undo', answered: Answered): void
  /** Orders leave when the work of this moment is done; this sends them now. */
  flush(): void
  /** Called when those who were answered have gone on as far as they can. */
  onAnswered(goOn: () => void): void
  /** Why nothing is written any more, if that is so. */
  failure(): StoreUnavailable | null
  /** All that was sent before is answered first. */
  close(): Promise<void>
}

export function openSqliteLink(path: string, pragmas: readonly string[]): SqliteLink {
  let goOn: () => void = () => {}
  const thread = new Worker(new URL('./sqlite-thread.ts', import.meta.url), {
    workerData: { path, pragmas },
    env: {},
    // What the process was started with may be nothing a thread can be started with.
    execArgv: [],
  })
  const known = new Map<string, Text>()
  let lastNumber = 0
  let outbox: Order[] = []
  const waiting: { jobs: Waiting[]; runs: Waiting[] } = { jobs: [], runs: [] }
  let ended: StoreUnavailable | null = null

  function end(error: StoreUnavailable) {
    ended ??= error
    outbox = []
    const left = [...waiting.runs.splice(0), ...waiting.jobs.splice(0)]
    for (const { answered } of left) answered({ error: ended })
  }
  thread.on('error', (error) => end(new StoreUnavailable('its writer failed', error)))
  thread.on('exit', () => end(new StoreUnavailable('it is closed')))
  thread.on('message', ({ jobs, runs }: Replies) => {
    const told = {
      runs: waiting.runs.splice(0, runs.length),
      jobs: waiting.jobs.splice(0, jobs.length),
    }
    // A process that waits for nothing may end.
    if (waiting.jobs.length === 0 && waiting.runs.length === 0) thread.unref()
    for (const [index, it] of told.runs.entries()) it.answered(outcomeOf(it, runs[index]))
    for (const [index, it] of told.jobs.entries()) it.answered(outcomeOf(it, jobs[index]))
    // A tick that a promise's callback asks for comes after all other such callbacks.
    queueMicrotask(() => process.nextTick(goOn))
  })
  thread.unref()

  function flush() {
    if (outbox.length === 0) return
    const orders = outbox
    outbox = []
    thread.postMessage(orders)
  }

  function push(order: Order) {
    if (outbox.length === 0) process.nextTick(flush)
    outbox.push(order)
  }

  function send(order: Order, list: Waiting[], it: Waiting) {
    if (ended) return it.answered({ error: ended })
    push(order)
    list.push(it)
    thread.ref()
  }

  function textOf(sql: string): Text {
    const found = known.get(sql)
    if (found) return found
    const text = { number: ++lastNumber }
    known.set(sql, text)
    push({ kind: 'text', text: text.number, sql })
    return text
  }

  /** Only between jobs: one may not lose the texts it has begun with. */
  function boundTexts() {
    if (known.size < maxTexts) return
    known.clear()
    push({ kind: 'forget-texts' })
  }

  return {
    all(given, answered) {
      boundTexts()
      const texts = given.map(({ sql }) => textOf(sql))
      const statements = given.map((statement, i) => numbered(texts[i], statement))
      send({ kind: 'all', statements }, waiting.jobs, { texts, answered })
    },
    open() {
      boundTexts()
      push({ kind: 'open' })
    },
    run(given, answered) {
      const text = textOf(given.sql)
      const order = { kind: 'run', statement: numbered(text, given) } as const
      send(order, waiting.runs, { texts: [text], answered })
    },
    end: (kind, answered) => send({ kind }, waiting.jobs, { texts: [], answered }),
    flush,
    failure: () => ended,
    onAnswered(callback) {
      goOn = callback
    },
    async close() {
      if (ended) return
      const exit = new Promise((resolve) => thread.once('exit', resolve))
      flush()
      thread.ref()
      thread.postMessage('close')
      await exit
    },
  }
}

const numbered = (text: Text | undefined, { rows, isGuard }: Statement): NumberedStatement => ({
  text: text?.number ?? 0,
  rows,
  isGuard,
})

function outcomeOf({ texts }: Waiting, reply: Reply | undefined): Outcome {
  if (!reply) return { error: new StoreUnavailable('its writer gave no answer') }
  if ('failure' in reply) return { error: toError(reply.failure) }
  return { rows: reply.returned.map((returned, index) => toRows(texts[index], returned)) }
}

function toRows(text: Text | undefined, { values, columns }: Returned): unknown[] {
  if (!text || values.length === 0) return values
  text.toRow ??= rowMaker(columns)
  return values.map(text.toRow)
}
