type Schema = {
  type?: string
  description?: string
  format?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  required?: string[]
  default?: unknown
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  maxProperties?: number
}

/** Prints a JSON Schema in a notation close to TypeScript types, which is easier to read. */
export function schemaText(schema: object, indent = ''): string {
  const { anyOf, enum: words, const: only, type, items, ...rest } = schema as Schema
  if (anyOf) return anyOf.map((one) => schemaText(one, indent)).join(' | ')
  if (words) return words.map((word) => JSON.stringify(word)).join(' | ')
  if (only !== undefined) return JSON.stringify(only)
  if (type === 'array') return `${listText(items ?? {}, indent)}${limitsText(rest)}`
  if (type === 'object') return objectText(rest, indent)
  if (type === undefined) return 'any JSON value'
  return `${rest.format ?? type}${limitsText(rest)}`
}

function listText(items: Schema, indent: string): string {
  const text = schemaText(items, indent)
  return text.includes(' ') && !text.startsWith('{') ? `(${text})[]` : `${text}[]`
}

function objectText(schema: Schema, indent: string): string {
  const { properties = {}, patternProperties = {}, required = [] } = schema
  const [values] = Object.values(patternProperties)
  if (values) return `{ [name]: ${schemaText(values, indent)} }`
  const members = Object.entries(properties)
  if (members.length === 0) return `object${limitsText(schema)}`
  const inner = `${indent}  `
  const lines = members.map(([name, member]) => {
    const mark = required.includes(name) ? '' : '?'
    return `${inner}${name}${mark}: ${schemaText(member, inner)}${remark(member)}`
  })
  return `{\n${lines.join('\n')}\n${indent}}`
}

function limitsText(schema: Schema): string {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength } = schema
  const { minItems, maxItems, maxProperties } = schema
  const limits = [
    rangeText(minimum, maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum, ''),
    exclusiveMinimum === undefined ? '' : `> ${exclusiveMinimum}`,
    rangeText(minLength, maxLength, ' characters'),
    rangeText(minItems, maxItems, ' items'),
    rangeText(undefined, maxProperties, ' members'),
  ].filter((text) => text !== '')
  return limits.length === 0 ? '' : ` (${limits.join(', ')})`
}

function rangeText(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`
  if (least !== undefined) return `at least ${least}${unit}`
  return most === undefined ? '' : `at most ${most}${unit}`
}

function remark({ description, default: fallback }: Schema): string {
  const notes = [
    ...(fallback === undefined ? [] : [`default ${JSON.stringify(fallback)}`]),
    ...(description === undefined ? [] : [description]),
  ]
  return notes.length === 0 ? '' : `  // ${notes.join('. ')}`
}
