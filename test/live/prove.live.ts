// `npm run test:live`: calls the vendors themselves, with the keys in the environment, and pays
// for it. `--budget 0.25` (USD) is the most it may cost, `--only openai,fal` chooses, `--keep`
// writes the redacted answers to test/fixtures/live.
import { mkdir, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { systemClock } from '#core/clock.ts'
import { toMicros } from '#core/money.ts'
import { readConfig } from '../../src/config.ts'
import { openProviders } from '../../src/providers/configured/provider-set.ts'
import { createBudget, usd } from './budget.ts'
import { redact } from './redact.ts'
import { type LiveOptions, type Row, runLive } from './run-live.ts'
import { vendorsOf } from './vendors.ts'

const { values } = parseArgs({
  options: {
    budget: { type: 'string', default: '0.25' },
    only: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
})

const config = readConfig(process.env)
const names = values.only?.split(',')
const vendors = vendorsOf(config).filter(({ name }) => names?.includes(name) ?? true)
const budget = createBudget(toMicros(Number(values.budget)))
const set = await openProviders(config, process.env, systemClock)

const keep: LiveOptions['keep'] = async ({ vendor, check }, answers, { key }) => {
  const folder = new URL(`../fixtures/live/${vendor}/`, import.meta.url)
  await mkdir(folder, { recursive: true })
  const file = new URL(`${check.replaceAll(' ', '-').toLowerCase()}.json`, folder)
  const kept = answers.map((answer) => redact(answer, [key]))
  await writeFile(file, `${JSON.stringify(kept, null, 2)}\n`)
}

const marks = { passed: '✔', failed: '✖', skipped: '–' }
const onRow = ({ vendor, model, check, outcome, why, micros }: Row) =>
  console.log(
    `${marks[outcome]} ${model || vendor}: ${check} ${usd(micros)}${why ? ` (${why})` : ''}`,
  )

const { catalogue } = set
const rows = await runLive({ vendors, catalogue, budget, onRow, ...(values.keep ? { keep } : {}) })
await set.close()
console.log(`${usd(budget.spentMicros)} of ${usd(budget.limitMicros)} spent`)
if (rows.every(({ outcome }) => outcome === 'skipped'))
  console.log('No key is set: nothing was tried.')
process.exitCode = rows.some(({ outcome }) => outcome === 'failed') ? 1 : 0
