// Generates TypeScript types from JSON Schemas, for files that are never edited by hand.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { shapeOf } from '../src/http/openapi/schema-shape.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

export type Schema = {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  required?: string[]
  readOnly?: boolean
  description?: string
}

/** A schema with a known shape is written as the name of that shape. */
export function typeOf(schema: Schema, names: ReadonlyMap<string, string>, indent: string): string {
  const name = names.get(shapeOf(schema))
  if (name !== undefined) return name
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  if (schema.anyOf && !schema.properties) {
    return schema.anyOf.map((one) => typeOf(one, names, indent)).join(' | ')
  }
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'integer':
    case 'number':
      return 'number'
    case 'array': {
      const item = typeOf(schema.items ?? {}, names, indent)
      return item.includes(' | ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`
    }
    case 'object':
      return objectType(schema, names, indent)
    default:
      return 'unknown'
  }
}

function objectType(schema: Schema, names: ReadonlyMap<string, string>, indent: string): string {
  const members = Object.entries(schema.properties ?? {}).filter(([, member]) => !member.readOnly)
  if (members.length === 0) {
    const [value] = Object.values(schema.patternProperties ?? {})
    return `Record<string, ${value ? typeOf(value, names, indent) : 'unknown'}>`
  }
  const inner = `${indent}  `
  const lines = members.flatMap(([key, member]) => {
    const optional = schema.required?.includes(key) ? '' : '?'
    const says = member.description ? [`${inner}/** ${member.description} */`] : []
    return [...says, `${inner}${key}${optional}: ${typeOf(member, names, inner)}`]
  })
  return `{\n${lines.join('\n')}\n${indent}}`
}

export const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value}'` : String(value)

/** Returns the path if the file was out of date. Writes it, unless the mode is `compare`. */
export function writeFormatted(
  path: string,
  text: string,
  { mode }: { mode: 'write' | 'compare' },
): string[] {
  const formatted = format(path, text)
  if (read(path) === formatted) return []
  if (mode === 'write') {
    mkdirSync(dirname(root + path), { recursive: true })
    writeFileSync(root + path, formatted)
  }
  return [path]
}

function format(path: string, text: string): string {
  const args = ['format', `--stdin-file-path=${path}`]
  const { stdout, stderr, status } = spawnSync(`${root}node_modules/.bin/biome`, args, {
    cwd: root,
    input: text,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`biome: ${stderr}`)
  return stdout
}

function read(path: string): string {
  try {
    return readFileSync(root + path, 'utf8')
  } catch {
    return ''
  }
}
