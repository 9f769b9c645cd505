// JSON Schemas that users write for their input nodes. They may refer only to themselves. When they
// are embedded in a larger schema, their references are rewritten.

import { isRecord } from '#core/record.ts'
import { pointerSegment } from './json-pointer.ts'

type SchemaProblem = { path: string; message: string }

const maxSchemas = 1000
const one = new Set([
  'items',
  'contains',
  'additionalProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contentSchema',
])
const several = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const named = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas'])
const refused = new Set(['$id', '$anchor', '$dynamicRef', '$dynamicAnchor', '$vocabulary'])
const dialect = 'https://json-schema.org/draft/2020-12/schema'

type Visit = (schema: Record<string, unknown>, path: string) => void

/** Visits the schema and every schema inside it, but not plain values such as `const`. */
function walk(schema: unknown, path: string, visit: Visit): void {
  if (!isRecord(schema)) return
  visit(schema, path)
  for (const [key, value] of Object.entries(schema)) {
    const at = `${path}/${pointerSegment(key)}`
    if (one.has(key)) walk(value, at, visit)
    else if (several.has(key) && Array.isArray(value)) {
      for (const [i, item] of value.entries()) walk(item, `${at}/${i}`, visit)
    } else if (named.has(key) && isRecord(value)) {
      for (const [name, item] of Object.entries(value))
        walk(item, `${at}/${pointerSegment(name)}`, visit)
    }
  }
}

export function userSchemaProblem(schema: object): SchemaProblem | null {
  let problem: SchemaProblem | null = null
  let count = 0
  walk(schema, '', (part, path) => {
    count++
    problem ??= partProblem(part, path)
  })
  if (count > maxSchemas)
    return { path: '', message: `schema may hold at most ${maxSchemas} schemas` }
  return problem
}

function partProblem(part: Record<string, unknown>, path: string): SchemaProblem | null {
  for (const key of Object.keys(part)) {
    if (refused.has(key)) {
      return {
        path: `${path}/${key}`,
        message: `schema must not use ${key}: refer with "#/$defs/…"`,
      }
    }
  }
  const { $ref, $schema } = part
  if ($schema !== undefined && $schema !== dialect) {
    return { path: `${path}/$schema`, message: `schema is read as ${dialect}: leave $schema out` }
  }
  if ($ref !== undefined && !(typeof $ref === 'string' && /^#(\/|$)/.test($ref))) {
    return { path: `${path}/$ref`, message: 'schema may refer only within itself: "#/$defs/…"' }
  }
  return null
}

// Not keywords of JSON Schema 2020-12, but Ajv gives them a meaning: `nullable` would allow null,
// `$async` would accept every value, and `id` would be an error.
const ajvOnly = ['id', 'nullable', '$async']

/** Removes those keywords, so that Ajv reads the schema as JSON Schema 2020-12. */
export function schemaForAjv(schema: object): object {
  let hasAny = false
  walk(schema, '', (part) => {
    hasAny ||= ajvOnly.some((key) => Object.hasOwn(part, key))
  })
  if (!hasAny) return schema
  const copy = structuredClone(schema)
  walk(copy, '', (part) => {
    for (const key of ajvOnly) delete part[key]
  })
  return copy
}

/** Copies the schema for embedding into another one at `pointer`. */
export function embedSchema(schema: object, pointer: string): Record<string, unknown> {
  const copy = structuredClone(schema) as Record<string, unknown>
  walk(copy, '', (part) => {
    delete part.$schema
    if (typeof part.$ref === 'string') part.$ref = `#${pointer}${part.$ref.slice(1)}`
  })
  return copy
}
