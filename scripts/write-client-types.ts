// Generates the client's types (src/client/*-records.ts) from the registry of operations, so that
// the client does not depend on the server's code. `--check` only compares.

import { recordNames, schemaAt } from '../src/api/public/record-names.ts'
import { operations } from '../src/api/public/registry.ts'
import { errorTable } from '../src/core/error-table.ts'
import { shapeOf } from '../src/http/openapi/schema-shape.ts'
import { literal, type Schema, typeOf, writeFormatted } from './schema-types.ts'

/** Every type with its name and its schema. */
export const clientRecords = Object.entries(recordNames).flatMap(([file, types]) =>
  Object.entries(types).map(([name, path]) => ({
    file,
    name,
    schema: schemaAt(operations, name, path) as Schema,
  })),
)
const names = new Map(clientRecords.map(({ name, schema }) => [shapeOf(schema), name]))

/** The names of each file. */
export const clientRecordFiles: Record<string, string[]> = Object.fromEntries(
  Object.entries(recordNames).map(([file, types]) => [file, Object.keys(types)]),
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
  const shared = Object.keys(recordNames['shared-records'] ?? {}).filter(
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
  const texts = Object.keys(recordNames).map((file) => [file, recordsText(file)] as const)
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
