// @ts-check
// Checks values against JSON Schemas that users wrote. A schema is a program: its patterns may
// backtrack forever and its references may expand exponentially, so it is compiled and run in a
// process of its own. References outside the schema are never resolved.
import { createRequire } from 'node:module'
import { serveJobs } from '#isolation/job-loop.mjs'
import { createKept } from '#isolation/kept.mjs'

/**
 * @typedef {import('ajv/dist/2020.js').ValidateFunction} ValidateFunction
 * @typedef {{ owner: string, schema: object, value?: unknown }} Job
 */

const [, , ajvPath = '', formatsPath = '', limitMs = ''] = process.argv
const maxIssues = 20

const load = createRequire(import.meta.url)
/** @type {typeof import('ajv/dist/2020.js')} */
const library = load(ajvPath)
/** @type {typeof import('ajv-formats')} */
const formats = load(formatsPath)

// JSON Schema 2020-12 treats unknown keywords and formats as annotations; Ajv's strict mode would
// refuse them, and other valid schemas too. With `ownProperties` a value has only the members it
// was sent with, not those that every JavaScript object inherits.
const ajv = new library.Ajv2020({ strict: false, ownProperties: true, logger: false })
formats.default(ajv)

/**
 * Cached per account, so that compiled code is never shared between accounts.
 * @type {import('#isolation/kept.mjs').Kept<ValidateFunction>}
 */
const kept = createKept({ entries: 100, chars: 256 * 1024 })

await serveJobs(Number(limitMs), async (line, watch) => {
  const answer = answerOf(JSON.parse(line))
  return JSON.stringify({ value: { answer, spentMs: watch.spentMs() } })
})

/** @param {Job} job */
function answerOf({ owner, schema, ...rest }) {
  /** @type {ValidateFunction} */
  let check
  try {
    check = compile(owner, schema)
  } catch (error) {
    return { schema: messageOf(error) }
  }
  if (!('value' in rest)) return { issues: [] }
  try {
    return { issues: check(rest.value) ? [] : toIssues(check.errors ?? []) }
  } catch (error) {
    // A schema that refers to itself without descending into the value recurses forever.
    return { schema: messageOf(error) }
  }
}

/**
 * @param {string} owner
 * @param {object} schema
 */
function compile(owner, schema) {
  const key = `${owner} ${JSON.stringify(schema)}`
  const known = kept.get(key)
  if (known) return known
  const fresh = ajv.compile(schema)
  // Ajv would keep every schema it compiles; only this bounded cache does.
  ajv.removeSchema(schema)
  kept.set(key, fresh)
  return fresh
}

/** @param {import('ajv/dist/2020.js').ErrorObject[]} errors */
function toIssues(errors) {
  return errors.slice(0, maxIssues).map(({ instancePath, keyword, message }) => ({
    path: instancePath,
    rule: keyword,
    message: message ?? 'is not acceptable',
  }))
}

/** @param {unknown} error */
function messageOf(error) {
  const message = error instanceof Error ? error.message : 'It cannot be compiled.'
  if (error instanceof RangeError) return 'It refers to itself without end.'
  return message.slice(0, 300)
}
