// Fills a function's parameters from what was said and what earlier calls answered. Never makes
// a value up: what cannot be found is looked for with another function, or asked for.
import { createHash } from 'node:crypto'
import { isRecord, type Json } from '../../json-shape.ts'
import { datesIn, emailsIn, urlsIn } from '../text/extract.ts'
import { topicOf } from '../text/topic.ts'
import { findIdentifier, isIdentifier, type Known, namesListed, producerOf } from './identifiers.ts'
import { type Param, paramsOf, splitName, type Tool } from './kit.ts'
import { isChanging } from './match-tool.ts'
import { core } from './results.ts'
import { jsonIn, namedValue, numbersIn, phraseAfter, quotedIn } from './values.ts'

export type Call = { tool: Tool; args: Json }

/** `first`: a call that has to come before. */
export type Filled = Call | { first: Call } | { missing: string[] }

type Pool = { quoted: string[]; numbers: number[]; json: unknown[] }

export function fillArguments(known: Known): Filled {
  const { tool, clause } = known
  const pool = poolOf(clause)
  const args: Json = {}
  const missing: string[] = []
  for (const param of tool.params.filter(({ isRequired }) => isRequired)) {
    const value = valueFor(param, known, pool, args)
    if (value !== undefined) {
      args[param.name] = value
      if (!isIdentifier(param)) continue
      const names = namesListed(param, known)
      pool.quoted = pool.quoted.filter((text) => !names.has(text))
    } else {
      const producer = isIdentifier(param) ? producerOf(param, known) : undefined
      if (producer) return { first: { tool: producer, args: {} } }
      missing.push(param.name)
    }
  }
  if (missing.length > 0) return { missing }
  for (const param of tool.params.filter(({ isRequired }) => !isRequired)) {
    if (isFreeForm(param)) {
      const shaped = bySchema(known, pool, args)
      if (shaped && 'first' in shaped) return shaped
      if (shaped && 'missing' in shaped) {
        if (isChanging(tool)) return shaped
        continue
      }
      if (shaped && Object.keys(shaped.value).length > 0) args[param.name] = shaped.value
      continue
    }
    const value = mentioned(param, clause)
    if (value !== undefined) args[param.name] = value
  }
  return { tool, args }
}

const poolOf = (clause: string): Pool => ({
  quoted: quotedIn(clause),
  numbers: numbersIn(clause),
  json: jsonIn(clause),
})

/** How well a part of the goal serves a function's required parameters, from -1 to 1. */
export function readiness(known: Known): number {
  const required = known.tool.params.filter(({ isRequired }) => isRequired)
  if (required.length === 0) return 0
  const pool = poolOf(known.clause)
  const served = required.filter((param) => valueFor(param, known, pool, {}) !== undefined)
  return (2 * served.length) / required.length - 1
}

function valueFor(param: Param, known: Known, pool: Pool, args: Json): unknown {
  const { clause } = known
  const { schema, name } = param
  if ('const' in schema) return schema.const
  const said = mentioned(param, clause)
  if (said !== undefined) return said
  if (/idempoten/i.test(name)) return keyFor(known, args)
  if (isIdentifier(param)) {
    return findIdentifier(param, known) ?? (isNumeric(schema) ? takeNumber(pool) : undefined)
  }
  if (isNumeric(schema)) return takeNumber(pool) ?? schema.default
  if (schema.type === 'array') return listFor(param, clause, pool)
  if (schema.type === 'object') return objectFor(schema, known, pool)
  if (schema.type === 'boolean') return schema.default
  return textFor(param, withoutOptions(known), pool) ?? schema.default
}

const isNumeric = ({ type }: Json) => type === 'integer' || type === 'number'

function takeNumber(pool: Pool): number | undefined {
  return pool.numbers.shift()
}

/** Said by name, or one of the values a parameter takes. */
function mentioned({ name, schema }: Param, clause: string): unknown {
  if (Array.isArray(schema.enum)) {
    const low = ` ${clause.toLowerCase().replace(/[^\p{L}\p{N}.:_-]+/gu, ' ')} `
    return schema.enum.find((option) => low.includes(` ${String(option).toLowerCase()} `))
  }
  const named = namedValue(clause, name)
  // An identifier has no spaces: what is quoted beside it is something else.
  const isApart = named?.includes(' ') && isIdentifier({ name, schema, isRequired: true })
  const value = named === undefined || isApart ? undefined : asType(named, schema)
  if (value !== undefined) return value
  const unit = splitName(name).at(-1) ?? ''
  if (isNumeric(schema) && unit.length > 3) {
    const counted = new RegExp(
      `(\\d{1,9}(?:\\.\\d{1,6})?)[\\s-]{0,2}${unit.replace(/s$/, '')}`,
      'i',
    )
    const found = counted.exec(clause)?.[1]
    if (found) return Number(found)
  }
  return undefined
}

function asType(text: string, schema: Json): unknown {
  if (schema.type === 'integer') return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
  if (schema.type === 'number') return /^-?[\d.]{1,20}$/.test(text) ? Number(text) : undefined
  if (schema.type === 'boolean')
    return /^(?:true|yes|on)$/i.test(text)
      ? true
      : /^(?:false|no|off)$/i.test(text)
        ? false
        : undefined
  if (schema.type === 'array' || schema.type === 'object') return undefined
  if (schema.format === 'uuid') return /^[0-9a-f-]{36}$/i.test(text) ? text : undefined
  return text
}

const freeText =
  /(?:query|text|prompt|question|message|content|input|search|term|topic|subject|description|body|task|instruction|code|words|sentence|q)$/i

function textFor({ name, schema }: Param, clause: string, pool: Pool): string | undefined {
  if (schema.format === 'email') return emailsIn(clause)[0]
  if (schema.format === 'uri' || /url|link/i.test(name)) return urlsIn(clause)[0]
  if (schema.format === 'date' || /date|day/i.test(name)) return datesIn(clause)[0]
  if (/expression|formula|equation/i.test(name)) return sumIn(clause) ?? pool.quoted.shift()
  const quoted = pool.quoted.shift()
  if (quoted !== undefined) return quoted
  if (/name|title/i.test(name)) {
    const called = phraseAfter(clause, 'called|named|titled')
    if (called !== undefined) return called
  }
  if (freeText.test(name)) return topicOf(clause)
  return phraseAfter(clause, 'in|for|about|of|on|at|to|from|near')
}

/** "in New York in fahrenheit": a value of another parameter is no part of this one. */
const withoutOptions = ({ clause, tool }: Known): string =>
  tool.params
    .flatMap(({ schema }) => (Array.isArray(schema.enum) ? schema.enum : []))
    .slice(0, 100)
    .reduce<string>((rest, option) => {
      const at = rest.toLowerCase().lastIndexOf(` ${String(option).toLowerCase()}`)
      if (at < 0) return rest
      const before = rest.slice(0, at).replace(/\s(?:in|as|with|using)$/i, '')
      return before + rest.slice(at + 1 + String(option).length)
    }, clause)

const sumIn = (clause: string): string | undefined =>
  /[\d(][\d\s+\-*/().^%]{0,200}[\d)]/.exec(clause)?.[0]?.trim()

function listFor({ name, schema }: Param, clause: string, pool: Pool): unknown[] | undefined {
  const given = pool.json.findIndex((value) => Array.isArray(value))
  if (given >= 0) return pool.json.splice(given, 1)[0] as unknown[]
  const items = isRecord(schema.items) ? schema.items : {}
  if (/^messages$/i.test(name)) {
    return [{ role: 'user', content: pool.quoted.shift() ?? topicOf(clause) }]
  }
  if (isNumeric(items) && pool.numbers.length > 0) return pool.numbers.splice(0)
  return pool.quoted.length > 0 && items.type !== 'object' ? pool.quoted.splice(0) : undefined
}

function objectFor(schema: Json, known: Known, pool: Pool): Json | undefined {
  const given = pool.json.findIndex(isRecord)
  if (given >= 0) return pool.json.splice(given, 1)[0] as Json
  const params = paramsOf(schema)
  if (params.length === 0) return undefined
  const value: Json = {}
  for (const param of params) {
    const inner = param.isRequired
      ? valueFor(param, known, pool, {})
      : mentioned(param, known.clause)
    if (inner !== undefined) value[param.name] = inner
    else if (param.isRequired) return undefined
  }
  return value
}

const isFreeForm = ({ schema, name }: Param): boolean =>
  schema.type === 'object' &&
  !isRecord(schema.properties) &&
  /inputs?|arguments|parameters/i.test(name)

/** What a free object must hold, another function of the kit can tell: it is asked first. */
function bySchema(
  known: Known,
  pool: Pool,
  args: Json,
): { value: Json } | { first: Call } | { missing: string[] } | undefined {
  const { kit, steps, clause } = known
  const teller = kit.find(
    ({ words, params }) =>
      words.includes('schema') &&
      params.every(({ name, isRequired }) => !isRequired || name in args),
  )
  const given = pool.json.find(isRecord)
  if (!teller) return given ? { value: given } : undefined
  const wanted = Object.fromEntries(teller.params.map(({ name }) => [name, args[name]]))
  const told = steps.findLast(
    ({ name, args: asked }) =>
      name === teller.name && JSON.stringify(asked) === JSON.stringify(wanted),
  )
  if (!told) return { first: { tool: teller, args: wanted } }
  if (given) return { value: given }
  const inner = core(told.result)
  const schema = isRecord(inner) ? (inner.inputSchema ?? inner.input_schema ?? inner.schema) : {}
  const params = paramsOf(schema)
  const value: Json = {}
  for (const one of params) {
    const said = mentioned(one, clause)
    if (said !== undefined) {
      value[one.name] = said
      pool.quoted = pool.quoted.filter((text) => text !== said)
    }
  }
  const rest = params.filter(({ name }) => !(name in value))
  for (const one of rest) {
    if (!one.isRequired && rest.length > 1) continue
    const taken = valueOfInput(one, clause, pool)
    if (taken !== undefined) value[one.name] = taken
    else if (one.isRequired) return { missing: [one.name] }
  }
  return { value }
}

function valueOfInput({ schema }: Param, clause: string, pool: Pool): unknown {
  if (isNumeric(schema)) return takeNumber(pool)
  if (schema.type !== undefined && schema.type !== 'string') return undefined
  return pool.quoted.shift() ?? phraseAfter(clause, 'with (?:the )?(?:inputs?|text|value)s?:?')
}

/** The same wish in the same conversation has the same key: repeating it starts nothing twice. */
function keyFor({ clause, tool, steps }: Known, args: Json): string {
  const before = steps.filter(({ name }) => name === tool.name).length
  const digest = createHash('sha256').update(JSON.stringify([clause, tool.name, args, before]))
  return `demo-${digest.digest('hex').slice(0, 32)}`
}
