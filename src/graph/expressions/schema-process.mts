// Checks values against JSON Schemas that users wrote. A schema is a program: its patterns may
// backtrack forever and its references may expand exponentially, so it is compiled and run in a
// process of its own. References outside the schema are never resolved.
import { createRequire } from 'node:module'
import type { Ajv2020, ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020.js'
import type { FormatsPlugin } from 'ajv-formats'
import { serveJobs } from '#isolation/job-loop.mts'
import { createKept } from '#isolation/kept.mts'

type Job = { owner: string; schema: object; value?: unknown }

const [, , ajvPath = '', formatsPath = '', limitMs = ''] = process.argv
const maxIssues = 20

const load = createRequire(import.meta.url)
const library = load(ajvPath) as { Ajv2020: new (options: Options) => Ajv2020 }
const formats = load(formatsPath) as { default: FormatsPlugin }

// JSON Schema 2020-12 treats unknown keywords and formats as annotations; Ajv's strict mode would
// refuse them, and other valid schemas too. With `ownProperties` a value has only the members it
// was sent with, not those that every JavaScript object inherits.
const ajv = new library.Ajv2020({ strict: false, ownProperties: true, logger: false })
formats.default(ajv)

// Cached per account, so that compiled code is never shared between accounts.
const kept = createKept<ValidateFunction>({ entries: 100, chars: 256 * 1024 })

await serveJobs(Number(limitMs), async (line, watch) => {
  const answer = answerOf(JSON.parse(line) as Job)
  return JSON.stringify({ value: { answer, spentMs: watch.spentMs() } })
})

function answerOf({ owner, schema, ...rest }: Job) {
  let check: ValidateFunction
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

function compile(owner: string, schema: object): ValidateFunction {
  const key = `${owner} ${JSON.stringify(schema)}`
  const known = kept.get(key)
  if (known) return known
  const fresh = ajv.compile(schema)
  // Ajv would keep every schema it compiles; only this bounded cache does.
  ajv.removeSchema(schema)
  kept.set(key, fresh)
  return fresh
}

function toIssues(errors: ErrorObject[]) {
  return errors.slice(0, maxIssues).map(({ instancePath, keyword, message }) => ({
    path: instancePath,
    rule: keyword,
    message: message ?? 'is not acceptable',
  }))
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : 'It cannot be compiled.'
  if (error instanceof RangeError) return 'It refers to itself without end.'
  return message.slice(0, 300)
}
