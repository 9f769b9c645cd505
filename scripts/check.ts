// One command for all static checks, followed by the tests. The checks run beside each other, as
// many as there are cores, and all of them report: one mistake does not hide another.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { checkDuplicates } from './check-duplicates.ts'
import { checkImports } from './check-imports.ts'
import { checkSizes } from './check-sizes.ts'
import { checkTestFunctions } from './check-test-functions.ts'

type Check = { title: string; run(): Promise<{ isGood: boolean; output: string }> }

const modules = fileURLToPath(new URL('../node_modules', import.meta.url))
const bin = (name: string) => `${modules}/.bin/${name}`
/** What the compiler remembers of the last check: an unchanged project is not examined again. */
const cache = `${modules}/.cache/check`
mkdirSync(cache, { recursive: true })

const command = (title: string, name: string, args: string[]): Check => ({
  title,
  run: () =>
    new Promise((resolve, reject) => {
      const child = spawn(bin(name), args, { stdio: ['ignore', 'pipe', 'pipe'] })
      let output = ''
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text) => {
          output += text
        })
      child.once('error', reject)
      child.once('close', (status) => resolve({ isGood: status === 0, output }))
    }),
})

const types = (title: string, project: string): Check => {
  const memory = `${cache}/${project.replaceAll(/\W/g, '_')}.tsbuildinfo`
  return command(title, 'tsc', ['-p', project, '--incremental', '--tsBuildInfoFile', memory])
}

const report = (title: string, problemsOf: () => string[]): Check => ({
  title,
  async run() {
    const problems = problemsOf()
    return { isGood: problems.length === 0, output: problems.map((line) => `  ${line}\n`).join('') }
  },
})

// The longest first, so that none of them is left to run alone at the end.
const checks: Check[] = [
  types('types', '.'),
  command('format and lint', 'biome', ['check', '--error-on-warnings', '.']),
  types('types of the tests in a browser', 'test/console'),
  command('unused code', 'knip', []),
  types('types of the console', 'console'),
  report('import direction', checkImports),
  report('sizes', () => [...checkSizes(), ...checkTestFunctions(bin('biome'))]),
  report('duplicates', checkDuplicates),
]

let isGood = true
const waiting = [...checks]
const work = async () => {
  for (let check = waiting.shift(); check; check = waiting.shift()) {
    const result = await check.run()
    console.log(`${result.isGood ? '✔' : '✖'} ${check.title}`)
    if (!result.isGood) console.error(result.output.trimEnd())
    isGood &&= result.isGood
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, work))
if (!isGood) process.exit(1)
if (!process.argv.includes('--fast')) {
  const { status } = spawnSync(process.execPath, ['scripts/test.ts'], { stdio: 'inherit' })
  process.exit(status ?? 1)
}
