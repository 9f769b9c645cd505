import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import type { CallContext, Operation, OperationInput } from '#api/operation.ts'
import { createAjvWithFormats } from '#core/ajv.ts'
import type { ErrorCode } from '#core/error-table.ts'
import { type Failure, type Issue, invalid } from '#core/errors.ts'
import { once } from '#core/once.ts'
import type { TObject, TSchema } from '#core/schema.ts'

export type RawInput = { params: unknown; query: unknown; body: unknown; bodyBytes: number }

type Compiled = Pick<
  Operation<never>,
  | 'params'
  | 'query'
  | 'body'
  | 'streams'
  | 'bodyOptional'
  | 'bodyFailure'
  | 'issueCodes'
  | 'checkHeaders'
>

// Collecting all errors of a large hostile body would take far more memory than the body itself,
// so validation of larger bodies stops at the first error.
const collectAllBelowBytes = 64 * 1024
const maxIssues = 100

// Ajv's defaults, stated explicitly because the contract depends on them.
const common = {
  strictSchema: true,
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  // Errors then carry their schema, whose description says more than a pattern does.
  verbose: true,
}
const thorough = once(() => createAjvWithFormats({ ...common, allErrors: true }))
const brief = once(() => createAjvWithFormats({ ...common, allErrors: false }))

/**
 * The validation of one operation's input: path, query, headers, then body. Nothing in the body
 * is coerced or dropped. It is compiled on the first request: compiling those of all operations
 * would take a quarter of the start-up time.
 */
export function compileInput(
  operation: Compiled,
): (raw: RawInput, headerValues?: CallContext['headerValues']) => OperationInput {
  let read: ReturnType<typeof compileNow> | undefined
  return (raw, headerValues = () => []) => {
    read ??= compileNow(operation)
    return read(raw, headerValues)
  }
}

function compileNow(operation: Compiled) {
  const readParams = compileParameters('path', operation.params)
  const readQuery = compileParameters('query', operation.query)
  const bodyFailure = operation.bodyFailure ?? 'INVALID_REQUEST'
  const checkBody =
    operation.body && compileBody(operation.body, bodyFailure, operation.issueCodes ?? {})
  return (raw: RawInput, headerValues: CallContext['headerValues']): OperationInput => {
    const params = readParams(raw.params)
    const query = readQuery(raw.query)
    operation.checkHeaders?.(headerValues)
    if (!checkBody) return { params, query, body: operation.streams ? raw.body : undefined }
    const body = raw.body === undefined && operation.bodyOptional ? {} : raw.body
    if (body === undefined) {
      throw invalid(bodyFailure, [
        { path: '', rule: 'required', message: 'a JSON body is required' },
      ])
    }
    checkBody(body, raw.bodyBytes)
    return { params, query, body }
  }
}

function compileBody(schema: TSchema, code: ErrorCode, codes: Readonly<Record<string, string>>) {
  const coded = (issue: Issue): Issue => {
    const own = codes[`${issue.path} ${issue.rule}`]
    return own === undefined ? issue : { ...issue, code: own }
  }
  const checkAll = thorough().compile(schema)
  // Compiled when the first large body arrives, because most operations never get one.
  let checkFirst: ValidateFunction | undefined
  return (body: unknown, bytes: number) => {
    const isSmall = bytes < collectAllBelowBytes
    if (!isSmall) checkFirst ??= brief().compile(schema)
    const check: ValidateFunction = isSmall || !checkFirst ? checkAll : checkFirst
    if (check(body)) return
    throw invalid(code, toIssues(check.errors ?? []).map(coded), firstSentence(check.errors))
  }
}

const integerText = /^[1-9][0-9]*$/

/** Path and query values arrive as text. Parameters the operation does not declare are ignored. */
function compileParameters(where: 'path' | 'query', schema: TObject | undefined) {
  if (!schema) return () => ({})
  const check = thorough().compile(schema)
  const entries = Object.entries(schema.properties).map(([name, property]) => ({
    name,
    isInteger: 'type' in property && property.type === 'integer',
    isBoolean: 'type' in property && property.type === 'boolean',
    isUuid: 'format' in property && property.format === 'uuid',
    fallback: 'default' in property ? property.default : undefined,
  }))
  return (raw: unknown) => {
    const given = (raw ?? {}) as Record<string, string | string[] | undefined>
    const values: Record<string, unknown> = {}
    for (const { name, isInteger, isBoolean, isUuid, fallback } of entries) {
      const text = given[name]
      if (text === undefined) {
        if (fallback !== undefined) values[name] = fallback
        continue
      }
      if (typeof text !== 'string') throw badParameter(where, name, 'must be given once')
      if (isInteger && !(integerText.test(text) && Number.isSafeInteger(Number(text)))) {
        throw badParameter(where, name, 'must be a whole number from 1 to 2^53-1, in plain digits')
      }
      if (isBoolean) values[name] = readBoolean(where, name, text)
      else values[name] = isInteger ? Number(text) : isUuid ? text.toLowerCase() : text
    }
    if (!check(values)) {
      const issues = toIssues(check.errors ?? [])
      throw invalid(
        'INVALID_REQUEST',
        issues.map((issue) => ({ ...issue, path: `/${where}${issue.path}` })),
        firstSentence(check.errors),
      )
    }
    return values
  }
}

function readBoolean(where: string, name: string, text: string): boolean {
  if (text !== 'true' && text !== 'false') throw badParameter(where, name, 'must be true or false')
  return text === 'true'
}

function badParameter(where: string, name: string, message: string): Failure {
  return invalid(
    'INVALID_REQUEST',
    [{ path: `/${where}/${name}`, rule: 'type', message: `${name} ${message}` }],
    `${name} ${message}.`,
  )
}

function toIssues(errors: ErrorObject[]): Issue[] {
  return errors.slice(0, maxIssues).map((error) => ({
    path: pointerOf(error),
    rule: error.keyword,
    message: sentenceOf(error),
  }))
}

function pointerOf(error: ErrorObject): string {
  const { missingProperty, additionalProperty } = error.params as Record<string, unknown>
  const member = missingProperty ?? additionalProperty
  if (typeof member !== 'string') return error.instancePath
  return `${error.instancePath}/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`.slice(0, 500)
}

function sentenceOf(error: ErrorObject): string {
  const { additionalProperty, allowedValues } = error.params as Record<string, unknown>
  if (typeof additionalProperty === 'string') {
    return `"${additionalProperty.slice(0, 100)}" is not a known field`
  }
  const { description } = error.parentSchema ?? {}
  if (error.keyword === 'pattern' && typeof description === 'string') {
    return `is not as described: ${description.replace(/\.$/, '')}`
  }
  if (Array.isArray(allowedValues)) return `must be one of ${allowedValues.join(', ')}`
  return error.message ?? 'is not acceptable'
}

function firstSentence(errors: ErrorObject[] | null | undefined): string | undefined {
  const first = errors?.[0]
  if (!first) return undefined
  const where = pointerOf(first)
  return `${where === '' ? 'The body' : where} ${sentenceOf(first)}.`
}
