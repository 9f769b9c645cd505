// The thread that writes SQLite. Promises that a job it has answered is on disk, that one which
// fails leaves nothing and harms no other, and that jobs which wait together share a commit.
// Never decides what is written: it carries out orders.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { GuardFailed, StoreUnavailable } from './db.ts'
import { connectSqlite, isDiskFailure, type Prepared } from './sqlite-connection.ts'
import {
  type NumberedStatement,
  type Order,
  type Reply,
  type Returned,
  toFailure,
} from './sqlite-orders.ts'

if (!parentPort) throw new Error('this file is the code of a thread')
const port = parentPort
const { path, pragmas } = workerData as { path: string; pragmas: string[] }
const connection = connectSqlite(path, { readOnly: false, pragmas })
const control = (
  words:
    | 'begin immediate'
    | 'commit'
    | 'rollback'
    | 'savepoint job'
    | 'release job'
    | 'rollback to job',
) => void connection.all(words)

const texts = new Map<number, { sql: string; prepared?: Prepared }>()
const nothing: Reply = { returned: [] }
const failed = (error: unknown): Reply => ({ failure: toFailure(error) })

/** The commit that is being gathered for, and the answers that wait for it. */
let jobs: Reply[] = []
let beganAtMs = 0
/** The job whose statements come one by one, and why it must be undone. */
let open: { failure: unknown } | null = null
let runs: Reply[] = []
let leastCommitMs = 1

function run({ text: number, rows, isGuard }: NumberedStatement): Returned {
  const text = texts.get(number)
  if (!text) throw new Error(`there is no statement ${number}`)
  text.prepared ??= connection.prepare(text.sql)
  const { columns, run } = text.prepared
  const values = rows.length === 1 && rows[0] ? run(rows[0]) : rows.flatMap(run)
  if (isGuard && values.length === 0) throw new GuardFailed()
  return { values, columns: values.length > 0 ? columns : [] }
}

function begin() {
  if (connection.inTransaction()) return
  beganAtMs = performance.now()
  control('begin immediate')
}

/** After an error so grave that SQLite gave up everything since the last commit. */
function giveUp() {
  const lost = failed(new StoreUnavailable('the transaction was given up'))
  jobs = jobs.map((reply) => ('failure' in reply ? reply : lost))
}

function undo() {
  if (!connection.inTransaction()) return giveUp()
  control('rollback to job')
  control('release job')
}

function runAll(statements: readonly NumberedStatement[]): Reply {
  try {
    begin()
    control('savepoint job')
  } catch (error) {
    return failed(error)
  }
  try {
    const returned = statements.map(run)
    control('release job')
    return { returned }
  } catch (error) {
    undo()
    return failed(error)
  }
}

function openJob() {
  open = { failure: undefined }
  try {
    begin()
    control('savepoint job')
  } catch (error) {
    open.failure = error
  }
}

function runInJob(statement: NumberedStatement): Reply {
  if (!open || open.failure !== undefined) return failed(open?.failure)
  try {
    return { returned: [run(statement)] }
  } catch (error) {
    open.failure = error
    return failed(error)
  }
}

function closeJob(isKept: boolean): Reply {
  const failure = open?.failure
  open = null
  try {
    if (isKept && failure === undefined) control('release job')
    else undo()
    return failure === undefined ? nothing : failed(failure)
  } catch (error) {
    return failed(error)
  }
}

function carryOut(order: Order) {
  switch (order.kind) {
    case 'text':
      return void texts.set(order.text, { sql: order.sql })
    case 'forget-texts':
      return texts.clear()
    case 'all':
      return void jobs.push(runAll(order.statements))
    case 'open':
      return openJob()
    case 'run':
      return void runs.push(runInJob(order.statement))
    case 'keep':
    case 'undo':
      return void jobs.push(closeJob(order.kind === 'keep'))
  }
}

function commit() {
  const startedAtMs = performance.now()
  try {
    if (connection.inTransaction()) control('commit')
  } catch (error) {
    // Nobody can say what is on disk then: the thread ends, and only a new start can tell.
    if (isDiskFailure(error)) throw error
    if (connection.inTransaction()) control('rollback')
    jobs = jobs.map(() => failed(error))
  }
  // Slowly forgotten: what a commit costs by itself, without the pages of its jobs.
  leastCommitMs = Math.min(performance.now() - startedAtMs, leastCommitMs * 1.05)
  answer()
}

function answer() {
  const isBetweenJobs = open === null
  if (runs.length === 0 && !(isBetweenJobs && jobs.length > 0)) return
  port.postMessage({ jobs: isBetweenJobs ? jobs : [], runs })
  runs = []
  if (isBetweenJobs) jobs = []
}

/**
 * More jobs in one commit save time as long as committing takes longer than they do. Beyond that
 * it is better to answer: those who are answered go on while the others are written.
 */
const isLongEnough = () =>
  performance.now() - beganAtMs > Math.min(2 * leastCommitMs, longestGatheringMs)
const longestGatheringMs = 20

function carryOutAll(orders: readonly Order[]) {
  for (const order of orders) {
    carryOut(order)
    if (open === null && jobs.length > 0 && isLongEnough()) commit()
  }
}

port.on('message', (message: readonly Order[] | 'close') => {
  for (let next: unknown = message; next !== undefined; ) {
    if (next === 'close') {
      if (jobs.length > 0) commit()
      connection[Symbol.dispose]()
      return port.close()
    }
    carryOutAll(next as readonly Order[])
    next = receiveMessageOnPort(port)?.message
  }
  if (open === null && jobs.length > 0) commit()
  else answer()
})
