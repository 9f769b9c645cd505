// Ajv is loaded when the first schema is compiled: at start, its hundred modules would make up a
// tenth of everything that is read.
import { createRequire } from 'node:module'
import type { Ajv2020, Options } from 'ajv/dist/2020.js'
import { once } from './once.ts'

const require = createRequire(import.meta.url)
const ajv = once((): typeof import('ajv/dist/2020.js') => require('ajv/dist/2020.js'))
const formats = once((): typeof import('ajv-formats') => require('ajv-formats'))

/**
 * A validator for JSON Schema 2020-12 that treats formats as annotations. Only for the server's own
 * schemas: a test checks those against the meta-schema, so that no process has to compile it.
 */
export const createAjv = (options: Options = {}): Ajv2020 =>
  new (ajv().Ajv2020)({ ...options, meta: false, validateSchema: false })

/**
 * A validator that also checks formats, except `uri`: addresses are checked later by the WHATWG
 * parser, which accepts more (IDN, full-width digits) and whose refusals have their own codes. A time
 * must also be one that JavaScript can represent: it has no leap seconds, and would read NaN, which
 * is neither before nor after anything.
 */
export function createAjvWithFormats(options: Options): Ajv2020 {
  const made = createAjv(options)
  formats().default(made)
  made.addFormat('uri', true)
  const { validate } = made.formats['date-time'] as { validate(text: string): boolean }
  made.addFormat('date-time', (text) => validate(text) && !Number.isNaN(Date.parse(text)))
  return made
}
