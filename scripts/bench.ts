// Compares Atelier with the practical limit, on the same machine in the same run.
// `npm run bench -- request chat` selects benchmarks; `--json FILE` also writes the rows to a file;
// `--quick` shortens the benchmarks of runs, only to see that they work; `--short` a little.
// `--against DIR` compares this tree with another one, in turns; `--rounds N` says how often.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { alternate } from '../bench/alternate.ts'
import { benchCanvas } from '../bench/canvas.ts'
import { benchChat } from '../bench/chat.ts'
import { benchCompat } from '../bench/compat.ts'
import { benchConsoleLists } from '../bench/console-lists.ts'
import { type Effort, machine, markdown, type Row } from '../bench/report.ts'
import { benchRequestPath } from '../bench/request-path.ts'
import { benchRoutes } from '../bench/routes.ts'
import { benchRunSize, benchRuns } from '../bench/runs.ts'
import { benchRunsFleet } from '../bench/runs-fleet.ts'
import { benchRunsInFlight } from '../bench/runs-in-flight.ts'
import { benchRunsOverHttp } from '../bench/runs-over-http.ts'
import { benchRunsRecovery } from '../bench/runs-recovery.ts'
import { benchStart } from '../bench/start.ts'
import { benchTaskList } from '../bench/task-list.ts'
import { benchValidate } from '../bench/validate.ts'
import { benchWaits } from '../bench/waits.ts'
import { benchWorkflowList } from '../bench/workflow-list.ts'

const benchmarks: Record<string, (dataDir: string, effort: Effort) => Promise<Row[]>> = {
  request: benchRequestPath,
  chat: benchChat,
  compat: benchCompat,
  routes: benchRoutes,
  tasks: benchTaskList,
  workflows: benchWorkflowList,
  'console-lists': benchConsoleLists,
  canvas: benchCanvas,
  runs: benchRuns,
  'runs-size': benchRunSize,
  'runs-fleet': benchRunsFleet,
  'runs-recovery': benchRunsRecovery,
  'runs-in-flight': benchRunsInFlight,
  'runs-over-http': benchRunsOverHttp,
  waits: benchWaits,
  validate: benchValidate,
  start: benchStart,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'string' },
    quick: { type: 'boolean' },
    short: { type: 'boolean' },
    against: { type: 'string' },
    rounds: { type: 'string', default: '5' },
  },
})
const chosen = positionals.length > 0 ? positionals : Object.keys(benchmarks)
if (values.against) {
  console.log(`\n${machine()}\n\n${alternate(values.against, chosen, Number(values.rounds))}`)
  process.exit()
}
const effort = values.quick ? 'quick' : values.short ? 'short' : 'full'
const rows: Row[] = []
for (const name of chosen) {
  const benchmark = benchmarks[name]
  if (!benchmark)
    throw new Error(`unknown benchmark "${name}"; there are ${Object.keys(benchmarks).join(', ')}`)
  const dataDir = mkdtempSync(join(tmpdir(), 'atelier-bench-'))
  console.error(`▸ ${name} …`)
  rows.push(...(await benchmark(dataDir, effort)))
  rmSync(dataDir, { recursive: true, force: true })
}
console.log(`\n${new Date().toISOString().slice(0, 10)}, ${machine()}\n\n${markdown(rows)}`)
if (values.json)
  writeFileSync(
    values.json,
    JSON.stringify({ date: new Date().toISOString(), machine: machine(), rows }, null, 2),
  )
