// What each test file takes in processor time, for `npm test -- --cost`. Imported by the processes
// that run tests, which write it down, and by the runner, which prints it. Needs the /proc of Linux.
import { appendFileSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { afterEach, beforeEach } from 'node:test'

type Cost = { file: string; loading: number; own: number; started: number }

const ticksPerSecond = 100

/** Seconds of processor time: of a process, and of those it started that have ended. */
function timesOf(pid: number | string) {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) (?!.*\) )/)
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields
    .split(' ')
    .slice(11, 15)
    .map((ticks) => Number(ticks) / ticksPerSecond)
  return { own: user + system, ended: endedUser + endedSystem }
}

/** Of the processes below this one that still run, with all that they started. */
function secondsRunningBelow(pid: number | string): number {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? []
    return children.reduce((sum, child) => {
      const { own, ended } = timesOf(child)
      return sum + own + ended + secondsRunningBelow(child)
    }, 0)
  } catch {
    // One has ended since it was listed.
    return 0
  }
}

/** Read while the tests have ended and the PostgreSQL that they shared has not. */
export function costTable(path: string): string[] {
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  const shared = secondsRunningBelow(process.pid)
  const costs: Cost[] = [
    ...lines.map((line) => JSON.parse(line)),
    { file: 'PostgreSQL, shared by all', loading: 0, own: 0, started: shared },
  ]
  const sumOf = ({ loading, own, started }: Cost) => loading + own + started
  const row = (words: (number | string)[]) =>
    words.map((word) => (typeof word === 'number' ? word.toFixed(1) : word).padStart(9)).join('')
  return [
    `${row(['seconds', 'loading', 'tests', 'started'])}  (processor time; started: other processes)`,
    ...costs
      .sort((one, other) => sumOf(other) - sumOf(one))
      .map((cost) => `${row([sumOf(cost), cost.loading, cost.own, cost.started])}  ${cost.file}`),
    row([costs.reduce((sum, cost) => sum + sumOf(cost), 0)]),
  ]
}

const notes = process.env.ATELIER_TEST_COST
if (notes && process.env.NODE_TEST_CONTEXT) {
  const ownSeconds = () => process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6
  const file = relative(process.cwd(), process.argv[1] ?? '')
  const cost: Cost = { file, loading: 0, own: 0, started: 0 }
  let seen = 0
  // Often, because a browser that is closed takes what its processes did along.
  const look = () => {
    const now = timesOf(process.pid).ended + secondsRunningBelow(process.pid)
    cost.started += Math.max(0, now - seen)
    seen = now
  }
  beforeEach(() => {
    cost.loading ||= ownSeconds()
  })
  afterEach(look)
  process.once('exit', () => {
    look()
    cost.own = ownSeconds() - cost.loading
    appendFileSync(notes, `${JSON.stringify(cost)}\n`)
  })
}
