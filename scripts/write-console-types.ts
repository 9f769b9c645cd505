// Generates console/src/api/types.ts from the registry of the console API, so that the types of
// the console always match the server. `--check` only compares.
import { consoleOperations } from '../src/api/console/registry.ts'
import { namedIn } from '../src/api/named.ts'
import { shapeOf } from '../src/http/openapi/schema-shape.ts'
import { type Schema, typeOf, writeFormatted } from './schema-types.ts'
import { clientRecordFiles, clientRecords } from './write-client-types.ts'

const path = 'console/src/api/types.ts'

type Operation = (typeof consoleOperations)[number]

const dataOf = (operation: Operation | undefined): Schema | undefined =>
  Object.values(operation?.success ?? {})[0]?.data as Schema | undefined

const shared = new Set(clientRecords.map(({ name }) => name))
const own = [...namedIn(consoleOperations)].flatMap(([name, schema]) =>
  shared.has(name) ? [] : [{ name, schema: schema as Schema }],
)
const names = new Map([...clientRecords, ...own].map(({ name, schema }) => [shapeOf(schema), name]))

function ownTypes(): string {
  return own
    .map(({ name, schema }) => {
      const others = new Map(names)
      others.delete(shapeOf(schema))
      return `export type ${name} = ${typeOf(schema, others, '')}\n`
    })
    .join('\n')
}

function callType(operation: Operation): string {
  const { id, route, params, query, body } = operation
  const data = dataOf(operation)
  const member = (name: string, schema: unknown, absent: string) =>
    `    ${name}: ${schema ? typeOf(schema as Schema, names, '    ') : absent}`
  return [
    `  /** ${operation.summary}. */`,
    `  ${id}: {`,
    `    route: '${route}'`,
    member('params', params, 'Record<string, never>'),
    member('query', query, 'Record<string, never>'),
    member(
      operation.bodyOptional ? 'body?' : 'body',
      body,
      operation.streams ? 'Blob' : 'undefined',
    ),
    member('data', data, 'undefined'),
    '  }',
  ].join('\n')
}

const usedNames = (file: string, text: string): string[] =>
  (clientRecordFiles[file] ?? [])
    .filter((name) => new RegExp(`\\b${name}\\b`).test(text))
    // As the formatter sorts imports: whatever the case of their letters.
    .sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))

function typesText(): string {
  const calls = `/** Every call of the console API, by the id of its operation. */\nexport type ConsoleCalls = {\n${consoleOperations.map(callType).join('\n')}\n}\n`
  const text = `${ownTypes()}\n${calls}`
  const files = Object.keys(clientRecordFiles).sort()
  const imports = files.flatMap((file) => {
    const used = usedNames(file, text)
    return used.length === 0 ? [] : [`import type { ${used.join(', ')} } from '#client/${file}.ts'`]
  })
  const exported = files.map((file) => `export type * from '#client/${file}.ts'`)
  return `// Written from the registries by scripts/write-console-types.ts; never by hand.\n${imports.join('\n')}\n\nexport type { ErrorCode } from '#client/error-codes.ts'\n${exported.join('\n')}\n\n${text}`
}

/** Returns the path if the file was out of date. Writes it, unless the mode is `compare`. */
export const writeConsoleTypes = (options: { mode: 'write' | 'compare' }): string[] =>
  writeFormatted(path, typesText(), options)

if (import.meta.main) {
  const mode = process.argv.includes('--check') ? 'compare' : 'write'
  const stale = writeConsoleTypes({ mode })
  if (stale.length > 0) console.log(`${mode === 'write' ? 'written' : 'stale'}: ${stale.join('')}`)
  if (mode === 'compare' && stale.length > 0) process.exit(1)
}
