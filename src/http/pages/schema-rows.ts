type JsonSchema = {
  type?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  anyOf?: JsonSchema[]
  enum?: unknown[]
  const?: unknown
  format?: string
  description?: string
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  maxProperties?: number
}

export type SchemaRow = { name: string; type: string; notes: string }

/** One row per property of a schema; nested properties have dotted names. */
export function schemaRows(schema: object, prefix = ''): SchemaRow[] {
  const { properties = {}, required = [] } = schema as JsonSchema
  return Object.entries(properties).flatMap(([name, member]) => {
    const path = prefix + name
    const inner = nested(member)
    const isRequired = required.includes(name)
    return [
      { name: path, type: typeName(member), notes: notesOf(member, isRequired) },
      ...(inner ? schemaRows(inner.schema, `${path}${inner.suffix}`) : []),
    ]
  })
}

function nested(schema: JsonSchema): { schema: JsonSchema; suffix: string } | null {
  const open = schema.anyOf?.find((option) => option.type !== 'null') ?? schema
  if (open.type === 'array' && open.items?.properties) return { schema: open.items, suffix: '[].' }
  if (open.properties) return { schema: open, suffix: '.' }
  return null
}

function typeName(schema: JsonSchema): string {
  if (schema.anyOf) return schema.anyOf.map(typeName).join(' or ')
  if (schema.enum) return schema.enum.join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.type === 'array') return `array of ${schema.items ? typeName(schema.items) : 'any'}`
  return schema.format ? `${schema.type} (${schema.format})` : (schema.type ?? 'any JSON value')
}

function notesOf(schema: JsonSchema, isRequired: boolean): string {
  const bound = (label: string, value: unknown) =>
    value === undefined ? [] : [`${label} ${value}`]
  const maximum = schema.maximum === Number.MAX_SAFE_INTEGER ? undefined : schema.maximum
  return [
    ...(isRequired ? ['required'] : []),
    ...bound('default', schema.default),
    ...bound('from', schema.minimum),
    ...bound('to', maximum),
    ...bound('at least', schema.minItems),
    ...bound('at most', schema.maxItems ?? schema.maxProperties),
    ...bound('min length', schema.minLength),
    ...bound('max length', schema.maxLength),
    ...(schema.description ? [schema.description] : []),
  ].join('; ')
}
