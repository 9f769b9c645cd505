// Fills a function's parameters from what was said and what earlier calls answered. Never makes
// a value up: what cannot be found is looked for with another function, or asked for.
import { createHash } from 'node:crypto'
import { isRecord, type Json } from '../../json-shape.ts'
import { jsonIn } from '../text/json-schema.ts'
import { findIdentifier, isIdentifier, type Known, listerFor, namesListed } from './identifiers.ts'
import { isChanger, type Param, paramsOf, requiredOf, type Tool } from './kit.ts'
import { core } from './results.ts'
import { namedValue, numbersIn, phraseAfter, quotedIn, topicOf } from './values.ts'

export type Call = { tool: Tool; args: Json }

/** `first`: a call that has to come before. */
export type Filled = Call | { first: Call } | { missing: string[] }

/** Values of the clause that no parameter has taken yet. */
type Pool = { quoted: string[]; numbers: number[]; json: unknown[] }

export function fillArguments(known: Known): Filled {
  const { tool, clause } = known
  const pool: Pool = {
    quoted: quotedIn(clause),
    numbers: numbersIn(clause),
    json: jsonIn(clause),
  }
  const args: Json = {}
  const missing: string[] = []
  for (const param of requiredOf(tool)) {
    const value = valueFor(param, known, pool, args)
    const lister = value === undefined && isIdentifier(param) ? listerFor(param, known) : undefined
    if (lister) return { first: { tool: lister, args: {} } }
    if (value === undefined) missing.push(param.name)
    else args[param.name] = value
    if (!isIdentifier(param)) continue
    const names = namesListed(param, known)
    pool.quoted = pool.quoted.filter((text) => !names.has(text))
  }
  if (missing.length > 0) return { missing }
  for (const param of tool.params.filter(({ isRequired }) => !isRequired)) {
    const isOpen =
      param.schema.type === 'object' &&
      !isRecord(param.schema.properties) &&
      /inputs?|arguments/i.test(param.name)
    const shaped = isOpen ? bySchema(known, pool, args) : { value: mentioned(param, clause) }
    if ('first' in shaped) return shaped
    if ('missing' in shaped && isChanger(tool)) return shaped
    if ('value' in shaped && shaped.value !== undefined) args[param.name] = shaped.value
  }
  return { tool, args }
}

const isNumeric = ({ type }: Json) => type === 'integer' || type === 'number'

function valueFor(param: Param, known: Known, pool: Pool, args: Json): unknown {
  const { clause } = known
  const { schema, name } = param
  if ('const' in schema) return schema.const
  const said = mentioned(param, clause)
  if (said !== undefined) return said
  if (/idempoten/i.test(name)) return keyFor(known, args)
  if (isIdentifier(param))
    return findIdentifier(param, known) ?? (isNumeric(schema) ? pool.numbers.shift() : undefined)
  if (isNumeric(schema)) return pool.numbers.shift() ?? schema.default
  if (schema.type === 'array') return listFor(param, clause, pool)
  if (schema.type === 'object') return pool.json.find(isRecord)
  if (schema.type === 'boolean') return schema.default
  return textFor(param, withoutOptions(known), pool) ?? schema.default
}

/** Said by name, or one of the values a parameter takes. */
function mentioned({ name, schema }: Param, clause: string): unknown {
  if (Array.isArray(schema.enum)) {
    const low = ` ${clause.toLowerCase().replace(/[^\p{L}\p{N}.:_-]+/gu, ' ')} `
    return schema.enum.find((option) => low.includes(` ${String(option).toLowerCase()} `))
  }
  const text = namedValue(clause, name)
  if (text === undefined || schema.type === 'array' || schema.type === 'object') return undefined
  if (isNumeric(schema)) return /^-?[\d.]{1,20}$/.test(text) ? Number(text) : undefined
  if (schema.type === 'boolean') return /^(?:true|yes|on)$/i.test(text)
  // An identifier has no spaces: what is quoted beside it is something else.
  return text.includes(' ') && isIdentifier({ name, schema, isRequired: true }) ? undefined : text
}

const freeText = /(?:query|text|prompt|question|message|content|input|topic|description|body|q)$/i

function textFor({ name, schema }: Param, clause: string, pool: Pool): string | undefined {
  if (schema.format === 'email')
    return /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/.exec(clause)?.[0]
  if (schema.format === 'uri' || /url|link/i.test(name))
    return /https?:\/\/\S{1,2000}/.exec(clause)?.[0]
  const quoted = pool.quoted.shift()
  if (quoted !== undefined) return quoted
  return freeText.test(name)
    ? topicOf(clause)
    : phraseAfter(clause, 'called|named|in|for|about|of|on|at|to|from')
}

/** "in New York in fahrenheit": a value of another parameter is no part of this one. */
const withoutOptions = ({ clause, tool }: Known): string =>
  tool.params
    .flatMap(({ schema }) => (Array.isArray(schema.enum) ? schema.enum : []))
    .slice(0, 100)
    .reduce<string>((rest, option) => {
      const word = RegExp.escape(String(option))
      return rest.replace(new RegExp(`\\s(?:(?:in|as|with)\\s)?${word}(?![\\p{L}\\d])`, 'iu'), '')
    }, clause)

function listFor({ name, schema }: Param, clause: string, pool: Pool): unknown {
  const given = pool.json.find((value) => Array.isArray(value))
  if (given) return given
  if (/^messages$/i.test(name))
    return [{ role: 'user', content: pool.quoted.shift() ?? topicOf(clause) }]
  const items = isRecord(schema.items) ? schema.items : {}
  if (items.type === 'object') return undefined
  const values = isNumeric(items) ? pool.numbers.splice(0) : pool.quoted.splice(0)
  return values.length > 0 ? values : undefined
}

/** What an open object must hold, another function of the kit can tell: it is asked first. */
function bySchema(
  { kit, steps, clause }: Known,
  pool: Pool,
  args: Json,
): { value: Json | undefined } | { first: Call } | { missing: string[] } {
  const given = pool.json.find(isRecord)
  const teller = kit.find(
    (tool) => tool.words.includes('schema') && requiredOf(tool).every(({ name }) => name in args),
  )
  if (!teller) return { value: given }
  const wanted = Object.fromEntries(requiredOf(teller).map(({ name }) => [name, args[name]]))
  const answered = steps.findLast(
    (step) => step.name === teller.name && JSON.stringify(step.args) === JSON.stringify(wanted),
  )
  if (!answered) return { first: { tool: teller, args: wanted } }
  if (given) return { value: given }
  const inner = core(answered.result)
  const params = paramsOf(isRecord(inner) ? inner.inputSchema : undefined)
  const value: Json = {}
  for (const param of params.filter(({ isRequired }) => isRequired || params.length === 1)) {
    const found =
      mentioned(param, clause) ??
      (isNumeric(param.schema) ? pool.numbers.shift() : pool.quoted.shift())
    if (found !== undefined) value[param.name] = found
    else if (param.isRequired) return { missing: [param.name] }
  }
  return { value: Object.keys(value).length > 0 ? value : undefined }
}

/** The same wish in the same conversation has the same key: repeating it starts nothing twice. */
function keyFor({ clause, tool, steps }: Known, args: Json): string {
  const before = steps.filter(({ name }) => name === tool.name).length
  const digest = createHash('sha256').update(JSON.stringify([clause, tool.name, args, before]))
  return `demo-${digest.digest('hex').slice(0, 32)}`
}
