// Fills a function's parameters from the user's words and the results of earlier calls. Never
// makes a value up: if it cannot be found, another function is called for it, or the user is asked.
import { createHash } from 'node:crypto'
import { isRecord } from '#core/record.ts'
import type { Json } from '../../json-shape.ts'
import { isNumeric, jsonIn, numbersIn, quotedIn, url, valueNamed } from '../text/values.ts'
import { findIdentifier, isIdentifier, type Known, listersOf, type Pool } from './identifiers.ts'
import { type Param, paramsOf, type Tool } from './kit.ts'

export type Call = { tool: Tool; args: Json }

/** A call of the function itself, or of one that must come first; or what is missing for it. */
type Filled = { call: Call } | { missing: string[] }
type Found = Filled | { value: unknown }

export function fillArguments(known: Known): Filled {
  const { tool, clause } = known
  const pool = { quoted: quotedIn(clause), numbers: numbersIn(clause), json: jsonIn(clause) }
  const args: Json = {}
  const missing: string[] = []
  for (const param of tool.params) {
    if (!param.isRequired && missing.length > 0) break
    const found = find(param, known, pool, args)
    if ('call' in found) return found
    if ('missing' in found) missing.push(...found.missing)
    else if (found.value !== undefined) args[param.name] = found.value
    else if (param.isRequired) missing.push(param.name)
  }
  return missing.length > 0 ? { missing } : { call: { tool, args } }
}

function find(param: Param, known: Known, pool: Pool, args: Json): Found {
  const { name, schema, isRequired } = param
  const said = mentioned(param, known.clause)
  const isOpen = schema.type === 'object' && !schema.properties && /inputs?|arguments/i.test(name)
  if (said === undefined && isOpen) return bySchema(known, pool, args)
  if (said !== undefined || !isRequired) return { value: said }
  if (/idempoten/i.test(name)) return { value: keyFor(known, args) }
  if (!isIdentifier(param)) return { value: fromClause(param, known, pool) ?? schema.default }
  const value = findIdentifier(param, known, pool)
  if (value !== undefined) return { value }
  const called = known.steps.map((step) => step.name)
  const tool = listersOf(param, known).find((lister) => !called.includes(lister.name))
  return tool ? { call: { tool, args: {} } } : { value }
}

/** The value given by name, or one of the parameter's allowed values that the clause contains. */
function mentioned(param: Param, clause: string): unknown {
  const { name, schema } = param
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) {
    const low = ` ${clause.toLowerCase().replace(/[^\p{L}\p{N}.:_-]+/gu, ' ')} `
    return schema.enum.find((option) => low.includes(` ${String(option).toLowerCase()} `))
  }
  const value = valueNamed(name, schema, clause)
  // An identifier has no spaces, so a value with spaces is something else.
  return String(value).includes(' ') && isIdentifier(param) ? undefined : value
}

/** The first value of the right type that no earlier parameter has taken. */
function fromClause({ name, schema }: Param, { clause, tool }: Known, pool: Pool): unknown {
  if (isNumeric(schema)) return pool.numbers.shift()
  if (schema.type === 'object') return pool.json.find(isRecord)
  if (schema.type === 'boolean' || schema.format === 'email') return undefined
  if (/url|link/i.test(name)) return clause.match(url)?.[0]
  const isList = schema.type === 'array'
  if (!isList) return pool.quoted.shift() ?? topicOf(withoutOptions(clause, tool), name)
  if (/^messages$/i.test(name))
    return [{ role: 'user', content: pool.quoted.shift() ?? topicOf(clause, 'content') }]
  const items = isRecord(schema.items) ? schema.items : {}
  const given = pool.json.find(Array.isArray)
  if (given || items.type === 'object') return given
  const values = isNumeric(items) ? pool.numbers.splice(0) : pool.quoted.splice(0)
  return values.length > 0 ? values : undefined
}

/** "in New York in fahrenheit": a value of another parameter is not part of this one. */
const withoutOptions = (clause: string, { params }: Tool): string =>
  params
    .flatMap((param) => (param.schema.enum ? (mentioned(param, clause) ?? []) : []))
    .reduce<string>((rest, option) => {
      const words = `\\s(?:(?:in|as|with)\\s)?${RegExp.escape(String(option))}(?![\\p{L}\\d])`
      return rest.replace(new RegExp(words, 'iu'), '')
    }, clause)

const freeText = /(?:query|text|prompt|question|message|content|input|topic|description|body|q)$/i

/** "in Paris", "of a red door": up to the end of the clause. */
function topicOf(clause: string, name: string): string | undefined {
  const clean = clause.replace(/\s(?:please|today|now|thanks)[?.!]{0,3}$/i, '')
  const found = freeText.test(name)
    ? (/\b(?:about|of|for|on|showing)\s{1,3}(.{1,300})$/i.exec(clean)?.[1] ??
      clean.replace(/^(?:please )?\S{1,20}\s(?:me )?(?:an? |the )?/i, ''))
    : /\b(?:called|named|in|for|about|of|on|at|to|from)\s{1,3}(.{1,300})$/i.exec(clean)?.[1]
  return found?.trim().replace(/[?.!,;]{1,3}$/, '') || undefined
}

/** If another function can return the schema of an open object, it is called first. */
function bySchema({ kit, steps, clause, tool }: Known, pool: Pool, args: Json): Found {
  const given = pool.json.find(isRecord)
  const teller = kit.find(
    (one) => one.words.includes('schema') && one.required.every(({ name }) => name in args),
  )
  if (!teller) return { value: given }
  const asked = Object.fromEntries(teller.required.map(({ name }) => [name, args[name]]))
  const told = steps.findLast(
    (step) => step.name === teller.name && JSON.stringify(step.args) === JSON.stringify(asked),
  )
  if (!told) return { call: { tool: teller, args: asked } }
  const { params } = paramsOf(isRecord(told.result) ? told.result.inputSchema : undefined)
  if (given || params.length === 0) return { value: given }
  const value: Json = {}
  for (const param of params.filter(({ isRequired }) => isRequired || params.length === 1)) {
    const pooled = isNumeric(param.schema) ? pool.numbers : pool.quoted
    value[param.name] = mentioned(param, clause) ?? pooled.shift()
  }
  const missing = Object.keys(value).filter((name) => value[name] === undefined)
  return missing.length > 0 && tool.does === 'start' ? { missing } : { value }
}

/** The same clause in the same conversation gets the same key, so repeats start nothing twice. */
function keyFor({ clause, tool, steps }: Known, args: Json): string {
  const before = steps.filter(({ name }) => name === tool.name).length
  const digest = createHash('sha256').update(JSON.stringify([clause, tool.name, args, before]))
  return `demo-${digest.digest('hex').slice(0, 32)}`
}
