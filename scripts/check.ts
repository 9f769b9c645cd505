// One command for all static checks, followed by the tests.
import { spawnSync } from 'node:child_process'
import { checkDuplicates } from './check-duplicates.ts'
import { checkImports } from './check-imports.ts'
import { checkSizes } from './check-sizes.ts'
import { checkTestFunctions } from './check-test-functions.ts'

const bin = (name: string) => new URL(`../node_modules/.bin/${name}`, import.meta.url).pathname
const run = (title: string, command: string, args: string[]) => {
  console.log(`\n▸ ${title}`)
  const { status } = spawnSync(command, args, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
const report = (title: string, problems: string[]) => {
  console.log(`\n▸ ${title}`)
  for (const problem of problems) console.error(`  ${problem}`)
  if (problems.length > 0) process.exit(1)
}

run('format and lint', bin('biome'), ['check', '--error-on-warnings', '.'])
run('types', bin('tsc'), ['-p', '.'])
run('types of the console', bin('tsc'), ['-p', 'console'])
run('types of its tests', bin('tsc'), ['-p', 'test/console'])
report('import direction', checkImports())
report('sizes', [...checkSizes(), ...checkTestFunctions(bin('biome'))])
report('duplicates', checkDuplicates())
run('unused code', bin('knip'), [])
if (!process.argv.includes('--fast')) run('tests', process.execPath, ['scripts/test.ts'])
