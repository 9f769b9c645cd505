// @ts-check
// Evaluates JSONata for any account, one job at a time, in a process that may read only these
// scripts and the library. The same text, input, time and seed always give the same answer.
// Functions, oversized results and prototype keys never leave the process.
import { createRequire } from 'node:module'
import { serveJobs } from '#isolation/job-loop.mjs'
import { createKept } from '#isolation/kept.mjs'

/**
 * @typedef {import('jsonata').Expression} Expression
 * @typedef {{ op: 'parse', text: string }} ParseJob
 * @typedef {{ op: 'evaluate', owner: string, text: string, input: unknown, nowMs: number, seed: string }} EvaluateJob
 */

const maxResultBytes = 1024 * 1024
const maxDepth = 64
const [, , libraryPath = '', limitMs = ''] = process.argv

let nowMs = 0
let state = 0
let spentMs = () => 0

// A resumed run evaluates its expressions again and must come to the same results, so time and
// randomness are part of the job and replace these globals. jsonata uses Date.now only to enforce
// its own time limit, so Date.now returns the processor time of the job.
class JobDate extends Date {
  /** @param {number[]} values */
  constructor(...values) {
    super(.../** @type {[number]} */ (values.length === 0 ? [nowMs] : values))
  }
  /** @override */
  static now() {
    return spentMs()
  }
}
globalThis.Date = /** @type {DateConstructor} */ (Object.freeze(JobDate))
globalThis.Math = Object.freeze(
  Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(Math),
    random: { value: nextRandom },
  }),
)

/** @type {typeof import('jsonata')} */
const jsonata = createRequire(import.meta.url)(libraryPath)
// The library stops itself slightly before the watching thread would, which saves a new process.
/** @type {import('jsonata').JsonataOptions} */
const options = {
  timeout: Math.floor(Number(limitMs) * 0.9),
  stack: 1000,
  sequence: 1_000_000,
}
const overruns = new Set(['D1011', 'D1012', 'D2014', 'D2015'])

/**
 * Cached per account, so that compiled code is never shared between accounts.
 * @type {import('#isolation/kept.mjs').Kept<Expression>}
 */
const kept = createKept({ entries: 500, chars: 256 * 1024 })

await serveJobs(Number(limitMs), async (line, watch) => {
  /** @type {ParseJob | EvaluateJob} */
  const job = JSON.parse(line)
  spentMs = watch.spentMs
  if (job.op === 'parse') {
    return JSON.stringify({ value: { problem: problemOf(job.text), spentMs: spentMs() } })
  }
  nowMs = job.nowMs
  state = hash(job.seed)
  try {
    const value = await compile(job.owner, job.text).evaluate(job.input)
    return asLine(value)
  } catch (error) {
    const { code, message } = describe(error)
    return JSON.stringify(overruns.has(code) ? { limit: message } : { error: message })
  }
})

/**
 * @param {string} owner
 * @param {string} text
 */
function compile(owner, text) {
  const key = `${owner} ${text}`
  const known = kept.get(key)
  if (known) return known
  const fresh = jsonata(text, options)
  kept.set(key, fresh)
  return fresh
}

/**
 * @param {string} text
 * @returns {string | null}
 */
function problemOf(text) {
  try {
    jsonata(text, options)
    return null
  } catch (error) {
    return describe(error).message
  }
}

/**
 * JSONata's "nothing" is undefined, which JSON does not have: it becomes null.
 * @param {unknown} value
 */
function asLine(value) {
  if (isTooDeep(value)) {
    return `{"tooDeep":"The result is nested more than ${maxDepth} levels deep."}`
  }
  const text = toJson(value ?? null)
  if (text === undefined) return '{"error":"The result is a function."}'
  if (Buffer.byteLength(text) > maxResultBytes) {
    return '{"limit":"The result is larger than 1 MiB."}'
  }
  if (text.includes('"__proto__":')) return '{"error":"A key may not be called __proto__."}'
  return `{"value":${text}}`
}

/**
 * Checked before serialising, which recurses. A lambda refers to itself and is rejected later.
 * @param {unknown} value
 * @returns {boolean}
 */
function isTooDeep(value, depth = 0) {
  if (typeof value !== 'object' || value === null || isFunction(value)) return false
  if (depth >= maxDepth) return true
  return Object.values(value).some((member) => isTooDeep(member, depth + 1))
}

/** @param {object} value */
function isFunction(value) {
  return '_jsonata_function' in value || '_jsonata_lambda' in value
}

/**
 * Functions have no JSON form and lambdas are circular. Most results contain neither.
 * @param {unknown} value
 * @returns {string | undefined}
 */
function toJson(value) {
  try {
    /** @type {string | undefined} */
    const text = JSON.stringify(value)
    if (text === undefined || !text.includes('"_jsonata_')) return text
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
  return JSON.stringify(value, dropMarks)
}

/**
 * @param {string} _key
 * @param {unknown} value
 */
function dropMarks(_key, value) {
  if (typeof value !== 'object' || value === null) return value
  return isFunction(value) ? undefined : value
}

/** @param {unknown} error */
function describe(error) {
  const { code, message, position } = /** @type {Record<string, unknown>} */ (error ?? {})
  if (error instanceof RangeError) {
    return { code: 'D1011', message: 'The expression is nested too deeply.' }
  }
  const sentence = typeof message === 'string' ? message.slice(0, 500) : 'The expression failed.'
  const where = typeof position === 'number' ? ` (at character ${position})` : ''
  return { code: String(code), message: sentence + where }
}

/** @param {string} text */
function hash(text) {
  let value = 2166136261
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 16777619)
  return value
}

/** mulberry32: short, and uniform enough for $random and $shuffle. */
function nextRandom() {
  state = (state + 0x6d2b79f5) | 0
  let t = Math.imul(state ^ (state >>> 15), 1 | state)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296
}
