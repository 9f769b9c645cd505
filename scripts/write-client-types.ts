// Generates the client's types (src/client/*-records.ts) from the registry of operations, so that
// the client does not depend on the server's code. `--check` only compares.
import { namedIn } from '../src/api/named.ts'
import { operations } from '../src/api/public/registry.ts'
import { errorTable } from '../src/core/error-table.ts'
import { shapeOf } from '../src/http/openapi/schema-shape.ts'
import { literal, type Schema, typeOf, writeFormatted } from './schema-types.ts'

const files = [
  ...(['shared-records', 'generation-records', 'workflow-records'] as const),
  ...(['run-records', 'trigger-records'] as const),
] as const

/** The file of the records that only operations on this path use. */
function fileOf(path: string): (typeof files)[number] {
  const isOfRuns = path.startsWith('/workflow-runs') || path.endsWith('/runs') || path === '/waits'
  if (isOfRuns) return 'run-records'
  if (path.includes('/triggers')) return 'trigger-records'
  return /^\/(workflows|templates)/.test(path) ? 'workflow-records' : 'generation-records'
}

const owners = new Map<string, Set<string>>()
for (const operation of operations)
  for (const name of namedIn([operation]).keys())
    owners.set(name, (owners.get(name) ?? new Set()).add(fileOf(operation.path)))

/** Every type with its name, its schema and its file. */
export const clientRecords = [...namedIn(operations)].map(([name, schema]) => {
  const [file = '', ...others] = owners.get(name) ?? []
  return { name, schema: schema as Schema, file: others.length > 0 ? 'shared-records' : file }
})
const names = new Map(clientRecords.map(({ name, schema }) => [shapeOf(schema), name]))

/** The names of each file. */
export const clientRecordFiles: Record<string, string[]> = Object.fromEntries(
  files.map((file) => [
    file,
    clientRecords.filter((record) => record.file === file).map(({ name }) => name),
  ]),
)

const header = `// Generated from the registry of operations by scripts/write-client-types.ts; do not edit.\n`

function recordsText(file: string): string {
  const types = clientRecords
    .filter((one) => one.file === file)
    .map(({ name, schema }) => {
      const others = new Map(names)
      others.delete(shapeOf(schema))
      return `export type ${name} = ${typeOf(schema, others, '')}\n`
    })
    .join('\n')
  const shared = (clientRecordFiles['shared-records'] ?? []).filter(
    (name) => file !== 'shared-records' && new RegExp(`\\b${name}\\b`).test(types),
  )
  const imports = shared.length
    ? `import type { ${shared.join(', ')} } from './shared-records.ts'\n\n`
    : ''
  return header + imports + types
}

const codesText = () =>
  `${header}export type ErrorCode = ${Object.keys(errorTable).map(literal).join(' | ')}\n`

/** Returns the files that were out of date. Writes them, unless the mode is `compare`. */
export function writeClientTypes(options: { mode: 'write' | 'compare' }): string[] {
  const texts = files.map((file) => [file, recordsText(file)] as const)
  return [...texts, ['error-codes', codesText()] as const].flatMap(([file, text]) =>
    writeFormatted(`src/client/${file}.ts`, text, options),
  )
}

if (import.meta.main) {
  const mode = process.argv.includes('--check') ? 'compare' : 'write'
  const stale = writeClientTypes({ mode })
  if (stale.length > 0)
    console.log(`${mode === 'write' ? 'written' : 'stale'}: ${stale.join(', ')}`)
  if (mode === 'compare' && stale.length > 0) process.exit(1)
}
