// The inputs of a run, as typed: which control an input's schema asks for, and how an entry becomes
// the value that is sent. Pure. The server checks again; checking here only reports it sooner.
import { type Schema, Validator } from '@cfworker/json-schema'

export type InputSchema = {
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly 'x-port-type'?: string
  readonly 'x-browser-node'?: string
}

export type InputsSchema = {
  readonly properties?: Readonly<Record<string, InputSchema>>
  readonly required?: readonly string[]
}

export type InputKind = 'text' | 'number' | 'boolean' | 'choice' | 'image' | 'video' | 'json'

/** As the control holds it; absent if nothing was entered. */
export type Entries = Readonly<Record<string, string | boolean | undefined>>

/** Anything the schema leaves open is JSON. */
export function inputKind(schema: InputSchema): InputKind {
  const port = schema['x-port-type']
  if (port === 'image' || port === 'video') return port
  if (schema.enum) return schema.enum.every((one) => typeof one === 'string') ? 'choice' : 'json'
  switch (schema.type) {
    case 'string':
      return 'text'
    case 'number':
    case 'integer':
      return 'number'
    case 'boolean':
      return 'boolean'
    default:
      return 'json'
  }
}

/** Absent if this control cannot show the value, which was made for another schema. */
export function toEntry(schema: InputSchema, value: unknown): string | boolean | undefined {
  const kind = inputKind(schema)
  if (value === undefined) return undefined
  if (kind === 'json') return JSON.stringify(value, null, 2)
  if (kind === 'boolean') return typeof value === 'boolean' ? value : undefined
  if (kind === 'number') return typeof value === 'number' ? String(value) : undefined
  return typeof value === 'string' ? value : undefined
}

export type Read = { readonly value: unknown } | { readonly problem: string } | null

/** Null: nothing was entered. */
export function readEntry(schema: InputSchema, entry: string | boolean | undefined): Read {
  if (entry === undefined) return null
  if (typeof entry === 'boolean') return { value: entry }
  switch (inputKind(schema)) {
    case 'number':
      return readNumber(entry)
    case 'json':
      return readJson(entry)
    default:
      return { value: entry }
  }
}

function readNumber(text: string): Read {
  if (text.trim() === '') return null
  const value = Number(text)
  return Number.isFinite(value) ? { value } : { problem: 'This is not a number.' }
}

export function readJson(text: string): Read {
  if (text.trim() === '') return null
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'This is not valid JSON.' }
  }
}

/** The values that can be sent, and what is wrong with the entries, by input. */
export function readEntries(schema: InputsSchema, entries: Entries) {
  const inputs: Record<string, unknown> = {}
  const problems: Record<string, string> = {}
  for (const [id, property] of Object.entries(schema.properties ?? {})) {
    const read = readEntry(property, Object.hasOwn(entries, id) ? entries[id] : undefined)
    if (read && 'value' in read) inputs[id] = read.value
    if (read && 'problem' in read) problems[id] = read.problem
  }
  return { inputs, problems }
}

export type InputCheck = (
  inputs: Readonly<Record<string, unknown>>,
) => Readonly<Record<string, string>>

/** Checks values against the server's schema, except that it does not report missing ones. */
export function createCheck(schema: InputsSchema): InputCheck {
  const properties = schema.properties ?? {}
  const validator = new Validator(
    { ...schema, required: [], properties: withoutFormats(properties) } as Schema,
    '2020-12',
    false,
  )
  return (inputs) => {
    try {
      const problems: Record<string, string> = {}
      // The last error of an input is the innermost and therefore the most specific.
      for (const { instanceLocation, keyword, error } of validator.validate(inputs).errors) {
        const [, id = '', ...inner] = instanceLocation.split('/').map(unescapePointer)
        const property = Object.hasOwn(properties, id) ? properties[id] : undefined
        if (!property) continue
        const isTop = inner.length === 0
        problems[id] = isTop ? wordsFor(keyword, property, error) : `${inner.join(' › ')}: ${error}`
      }
      return problems
    } catch {
      // The schema has a reference or a pattern that this checker cannot follow: the server will
      // check it.
      return {}
    }
  }
}

/**
 * A media address may be a data URL with the whole image: its `pattern` reads only the beginning,
 * while `format` would read all of it.
 */
const withoutFormats = (properties: Readonly<Record<string, InputSchema>>) =>
  Object.fromEntries(
    Object.entries(properties).map(([id, property]) => {
      const kind = inputKind(property)
      return [
        id,
        kind === 'image' || kind === 'video' ? { ...property, format: undefined } : property,
      ]
    }),
  )

const unescapePointer = (part: string): string =>
  decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')

function wordsFor(keyword: string, schema: InputSchema, error: string): string {
  switch (keyword) {
    case 'minLength':
      return `At least ${schema.minLength} characters.`
    case 'maxLength':
      return `At most ${schema.maxLength} characters.`
    case 'minimum':
      return `At least ${schema.minimum}.`
    case 'maximum':
      return `At most ${schema.maximum}.`
    case 'type':
      return schema.type === 'integer' ? 'Enter a whole number.' : error
    case 'pattern':
      return inputKind(schema) === 'text' ? error : 'Enter an http(s) address.'
    default:
      return error
  }
}

/** Inputs that are required but not given. Those that a browser node makes are never required. */
export const missingInputs = (
  { required = [] }: InputsSchema,
  inputs: Readonly<Record<string, unknown>>,
): string[] => required.filter((id) => !Object.hasOwn(inputs, id))

/** Values of an earlier run or of a sample, as far as they still fit the schema. */
export function toEntries(
  schema: InputsSchema,
  check: InputCheck,
  values: Readonly<Record<string, unknown>>,
): Entries {
  const problems = check(values)
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).flatMap(([id, property]) => {
      if (!Object.hasOwn(values, id) || problems[id] !== undefined) return []
      const entry = toEntry(property, values[id])
      return entry === undefined ? [] : [[id, entry]]
    }),
  )
}
