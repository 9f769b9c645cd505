// `npm run simulate -- 1234` executes the schedule of one seed again and prints its steps;
// `npm run simulate -- 1 5000` executes those of many, until one goes wrong.
import { openSimulation } from '../test/simulation/schedule.ts'

const [first = 1, last] = process.argv.slice(2).map(Number)
await using simulation = await openSimulation()
const show = last === undefined ? (line: string) => console.log(line) : undefined
let [count, steps, faults, virtualMs] = [0, 0, 0, 0]
for (let seed = first; seed <= (last ?? first); seed++) {
  const outcome = await simulation.run(seed, show)
  count++
  steps += outcome.steps
  faults += outcome.faults
  virtualMs += outcome.virtualMs
  if (outcome.violations.length === 0) continue
  console.log(outcome)
  process.exitCode = 1
  break
}
const { user, system } = process.cpuUsage()
const cpuSeconds = (user + system) / 1e6
console.log(
  JSON.stringify({ count, steps, faults, virtualHours: virtualMs / 3_600_000, cpuSeconds }),
)
