// Reads requests in another vendor's format by tables: what becomes of every field that the vendor's
// own client knows. Never passes over a field in silence: what no table names is refused.
import type { ErrorCode } from '#core/error-table.ts'
import { Failure } from '#core/errors.ts'
import { isRecord } from '#core/record.ts'

/** Throws a FieldProblem if the value is not what it must be. */
export type Read<Value> = (value: unknown) => Value

type Carried<Into> = { use: 'carried'; to: string; put(into: Into, value: unknown): void }
type Ignored = { use: 'ignored'; why: string }
type Refused = { use: 'refused'; say: string; isHarmless(value: unknown): boolean }

/** What becomes of a field, in the words of the documentation. */
export type Row<Into> = Carried<Into> | Ignored | Refused

export type Table<Into> = Readonly<Record<string, Row<Into>>>

export const carried = <Into, Value>(
  to: string,
  read: Read<Value>,
  put: (into: Into, value: Value) => void,
): Row<Into> => ({ use: 'carried', to, put: (into, value) => put(into, read(value)) })

/** Rows whose values are kept as they are: the first argument says under which name. */
export const rowsOf =
  <Into>() =>
  <Key extends keyof Into>(key: Key, to: string, read: Read<Into[Key]>): Carried<Into> => ({
    use: 'carried',
    to,
    put: (into, value) => {
      into[key] = read(value)
    },
  })

/** For a field that changes nothing about the answer; `why` says so. */
export const ignored = (why: string): Ignored => ({ use: 'ignored', why })

/** `say` completes a sentence that begins with the field. Harmless values restate the default. */
export const refused = (say: string, isHarmless = isEmpty): Refused => ({
  use: 'refused',
  say,
  isHarmless,
})

/** Clients send empty lists for what they do not use. */
const isEmpty = (value: unknown): boolean =>
  value === false || (Array.isArray(value) && value.length === 0)

export const onlyHarmless =
  (...values: unknown[]) =>
  (value: unknown): boolean =>
    values.includes(value)

/** Something wrong at a place of the request; each level on the way out adds its own name. */
export class FieldProblem extends Error {
  readonly code: ErrorCode
  readonly path: (string | number)[] = []

  constructor(message: string, code: ErrorCode = 'INVALID_REQUEST') {
    super(message)
    this.name = 'FieldProblem'
    this.code = code
  }
}

export const unsupported = (message: string): FieldProblem =>
  new FieldProblem(message, 'UNSUPPORTED_PARAMETER')

/** A problem with the field `name` of the record that is read. */
export function problemAt(name: string, message: string, code?: ErrorCode): FieldProblem {
  const problem = new FieldProblem(message, code)
  problem.path.push(name)
  return problem
}

export function required<Value>(value: Value | undefined, name: string): Value {
  if (value !== undefined) return value
  throw problemAt(name, 'is required')
}

/** How a vendor writes a place: `messages[0].content` or `messages.0.content`. */
export type PathForm = 'brackets' | 'dots'

/** Runs a reader and turns what is wrong into a failure that names the place. */
export function reading<Value>(form: PathForm, read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error
    throw problemFailure(pathText(error.path, form), error.message, error.code)
  }
}

/** The failure of a request whose field `param` is wrong: `message` completes the sentence. */
export const problemFailure = (
  param: string,
  message: string,
  code: ErrorCode = 'INVALID_REQUEST',
): Failure =>
  new Failure(code, { message: `${param || 'The body'} ${message}.`, details: { param } })

function pathText(path: readonly (string | number)[], form: PathForm): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number' && form === 'brackets') text += `[${step}]`
    else text += text === '' ? step : `.${step}`
  }
  return text
}

/** Adds a step to the path of a problem that `read` finds. */
export function within<Value>(step: string | number, read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    if (error instanceof FieldProblem) error.path.unshift(step)
    throw error
  }
}

export type Fields = Record<string, unknown>

export const record: Read<Fields> = (value) => {
  if (isRecord(value)) return value
  throw new FieldProblem('must be an object')
}

/** Treats null as absent, because clients send it for fields that they do not set. */
export function readFields<Into>(table: Table<Into>, given: Fields, into: Into): Into {
  for (const name in given) {
    const value = given[name]
    if (value === null || value === undefined) continue
    const row = Object.hasOwn(table, name) ? table[name] : undefined
    try {
      if (row?.use === 'carried') row.put(into, value)
      else if (!row) throw unsupported('is not a field that this API knows')
      else if (row.use === 'refused' && !row.isHarmless(value)) throw unsupported(row.say)
    } catch (error) {
      if (error instanceof FieldProblem) error.path.unshift(name)
      throw error
    }
  }
  return into
}

/** A record that is carried as one, whatever its fields are. */
type Whole<Into> = { use: 'whole'; to: string; put(into: Into, given: Fields): void }

export const whole = <Into>(to: string, put: Whole<Into>['put']): Whole<Into> => ({
  use: 'whole',
  to,
  put,
})

type Variant<Into> = Table<Into> | Refused | Whole<Into>

/** Records that name their kind in one field, each kind with a table of its own. */
export type Variants<Into> = Readonly<Record<string, Variant<Into>>>

export function readVariant<Into>(variants: Variants<Into>, value: unknown, into: Into): Into {
  const given = record(value)
  const { type } = given
  const known = typeof type === 'string' && Object.hasOwn(variants, type) ? variants[type] : null
  if (!known) {
    const names = Object.keys(variants).filter((name) => !isRefused(variants[name]))
    throw problemAt('type', `must be one of ${names.join(', ')}`, 'UNSUPPORTED_PARAMETER')
  }
  if (isRefused(known)) {
    throw problemAt('type', `(${type}) ${known.say}`, 'UNSUPPORTED_PARAMETER')
  }
  if (!isWhole(known)) return readFields(known, given, into)
  known.put(into, given)
  return into
}

// No field of a vendor is called `use`.
const isRefused = <Into>(variant: Variant<Into> | undefined): variant is Refused =>
  variant?.use === 'refused'

const isWhole = <Into>(variant: Variant<Into>): variant is Whole<Into> => variant.use === 'whole'

/** The field that names the kind of a record; it is read before the table is chosen. */
export const kind = ignored('names the kind')

// Readers of values.

export const anything: Read<unknown> = (value) => value

export const text: Read<string> = (value) => {
  if (typeof value === 'string') return value
  throw new FieldProblem('must be a string')
}

export const someText: Read<string> = (value) => {
  if (typeof value === 'string' && value !== '') return value
  throw new FieldProblem('must be a string that is not empty')
}

export const flag: Read<boolean> = (value) => {
  if (typeof value === 'boolean') return value
  throw new FieldProblem('must be true or false')
}

export const number: Read<number> = (value) => {
  if (typeof value === 'number') return value
  throw new FieldProblem('must be a number')
}

export const between =
  (min: number, max: number): Read<number> =>
  (value) => {
    if (typeof value === 'number' && value >= min && value <= max) return value
    throw new FieldProblem(`must be from ${min} to ${max}`)
  }

export const count: Read<number> = (value) => {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value
  throw new FieldProblem('must be a whole number from 1 up')
}

export const oneOf =
  <const Values extends readonly string[]>(...values: Values): Read<Values[number]> =>
  (value) => {
    const found = values.find((one) => one === value)
    if (found !== undefined) return found
    throw new FieldProblem(`must be one of ${values.join(', ')}`)
  }

export const listOf =
  <Value>(read: Read<Value>, { most = Infinity, of = 'entries' } = {}): Read<Value[]> =>
  (value) => {
    if (!Array.isArray(value)) throw new FieldProblem('must be a list')
    if (value.length > most) throw new FieldProblem(`may contain at most ${most} ${of}`)
    return value.map((one: unknown, index) => {
      try {
        return read(one)
      } catch (error) {
        if (error instanceof FieldProblem) error.path.unshift(index)
        throw error
      }
    })
  }
