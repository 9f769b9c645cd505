// The operations as tools for function calling: names, arguments and hints, all from the registry,
// and the mapping of a call to a request for the route of its operation. Never executes a call
// itself; the route does, with the credential of the caller.

import type { ErrorObject } from 'ajv/dist/2020.js'
import type { Method, Operation } from '#api/operation.ts'
import { apiPrefix, type Context } from '#api/public/context.ts'
import { createAjvWithFormats } from '#core/ajv.ts'
import type { Issue } from '#core/errors.ts'
import { once } from '#core/once.ts'

export type Tool = {
  name: string
  description: string
  /** A closed JSON Schema of the arguments. */
  parameters: ToolParameters
  /** A JSON Schema of the HTTP response body, for success and failure. */
  result: ToolResult
  operation: Operation<Context>
  hints: ToolHints
  /** What a call starts that goes on after its answer, or what it reads that another started. */
  starts?: 'run' | 'task'
  reads?: 'run' | 'task'
}

export type ToolParameters = {
  type: 'object'
  properties: Record<string, object>
  required?: string[]
  additionalProperties: false
}

export type ToolResult = { type: 'object'; [keyword: string]: unknown }

type ToolHints = {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: boolean
}

export type ToolArguments = Record<string, unknown>

/** The order in which people and models read the tools: choose, use, then change or cancel. */
const order = [
  'svc_list_models',
  'svc_chat',
  'svc_generate_image',
  'svc_generate_video',
  'svc_get_task',
  'svc_list_tasks',
  'svc_list_workflows',
  'svc_get_workflow',
  'svc_validate_workflow',
  'svc_create_workflow',
  'svc_update_workflow',
  'svc_delete_workflow',
  'svc_get_workflow_schema',
  'svc_estimate_workflow',
  'svc_run_workflow',
  'svc_get_workflow_run',
  'svc_list_workflow_runs',
  'svc_cancel_workflow_run',
]

export function toolList(operations: readonly Operation<Context>[]): Tool[] {
  return operations
    .flatMap((operation) => (operation.tool ? [toTool(operation, operation.tool, operations)] : []))
    .sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
}

const toTool = (
  operation: Operation<Context>,
  { name, description, starts, reads }: NonNullable<Operation<Context>['tool']>,
  operations: readonly Operation<Context>[],
): Tool => ({
  name,
  description,
  parameters: parametersOf(operation),
  result: resultOf(operation, starts && operations.find(({ tool }) => tool?.reads === starts)),
  operation,
  hints: hintsOf(operation),
  ...(starts ? { starts } : {}),
  ...(reads ? { reads } : {}),
})

function parametersOf({ tool, params, query, body }: Operation<Context>): ToolParameters {
  const schemas = tool?.arguments ? [tool.arguments] : [params, query, body]
  const plain = schemas.map((schema) => toPlain(schema ?? {}) as Partial<ToolParameters>)
  const required = plain.flatMap((schema) => schema.required ?? [])
  return {
    type: 'object',
    properties: Object.assign({}, ...plain.map((schema) => schema.properties)),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}

/** The result of a task of MCP is what reading answers once the work has ended. */
function resultOf({ success }: Operation<Context>, reader?: Operation<Context>): ToolResult {
  const beside = Object.values(success).find((form) => form.beside)?.beside
  const data = dataOf(success)
  return bodySchema({ ...beside, data: reader ? { anyOf: [data, dataOf(reader.success)] } : data })
}

/** Several statuses of one operation answer with the same data. */
const dataOf = (success: Operation<Context>['success']): object =>
  Object.values(success).find((form) => form.data)?.data ?? {}

/**
 * The schema of a response body, which has data or an error. MCP clients validate both against the
 * schema of the tool, because both are structured content.
 */
export const bodySchema = (data: Record<string, object>): ToolResult =>
  toPlain({
    type: 'object',
    properties: { success: { type: 'boolean' }, ...data, error: errorSchema },
    required: ['success'],
    anyOf: [{ required: ['data'] }, { required: ['error'] }],
  }) as ToolResult

const errorSchema = {
  type: 'object',
  properties: {
    code: { type: 'string' },
    message: { type: 'string' },
    retryable: { type: 'boolean' },
    details: {},
  },
  required: ['code', 'message', 'retryable'],
}

/** The schema as plain JSON. An object schema without properties keeps only its type. */
const toPlain = (schema: object): unknown =>
  JSON.parse(JSON.stringify(schema), (key, value) =>
    key === 'properties' && Object.keys(value).length === 0 ? undefined : value,
  )

function hintsOf({ scope, repeatable, rate }: Operation<Context>): ToolHints {
  const readOnlyHint = scope.endsWith(':read')
  const idempotentHint = !readOnlyHint && repeatable
  // Exactly the operations that reach providers have a rate limit of their own.
  const openWorldHint = rate !== undefined
  const destructiveHint = idempotentHint && !openWorldHint
  return { readOnlyHint, destructiveHint, idempotentHint, openWorldHint }
}

export type BoundCall = {
  method: Method
  /** Includes the prefix of the API and the query. */
  path: string
  headers: Record<string, string>
  body: string | undefined
}

/** Maps a call to its HTTP request. Expects arguments that were already checked. */
export function bindCall({ operation }: Tool, args: ToolArguments): BoundCall {
  const rest = new Map(Object.entries(args))
  const remove = (name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    return value
  }
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(remove(name))),
  )
  const query = new URLSearchParams()
  for (const name of ['page', 'size']) {
    const value = remove(name)
    if (value !== undefined) query.set(name, String(value))
  }
  const headers: Record<string, string> = {}
  const key = remove('idempotencyKey')
  if (key !== undefined) headers['idempotency-key'] = String(key)
  if (operation.body) headers['content-type'] = 'application/json'
  return {
    method: operation.method,
    path: `${apiPrefix}${path}${query.size > 0 ? `?${query}` : ''}`,
    headers,
    body: operation.body ? JSON.stringify(Object.fromEntries(rest)) : undefined,
  }
}

// Collecting all errors of a large hostile call would take far more memory than the call itself.
const collectAllBelowCharacters = 64 * 1024
const maxIssues = 100

const thorough = once(() => createAjvWithFormats({ allErrors: true }))
const brief = once(() => createAjvWithFormats({}))

/** Returns what is wrong with the arguments of a call, or null if they are valid. */
export function checkArguments(tool: Tool, args: unknown): Issue[] | null {
  const isSmall = JSON.stringify(args ?? null).length < collectAllBelowCharacters
  const check = (isSmall ? thorough() : brief()).compile(tool.parameters)
  return check(args) ? null : (check.errors ?? []).slice(0, maxIssues).map(toIssue)
}

function toIssue({ instancePath, keyword, params, message }: ErrorObject): Issue {
  const { missingProperty, additionalProperty, allowedValues } = params as Record<string, unknown>
  const member = missingProperty ?? additionalProperty
  const path = typeof member === 'string' ? `${instancePath}/${toToken(member)}` : instancePath
  const sentence =
    additionalProperty !== undefined
      ? 'is not an argument of this tool'
      : missingProperty !== undefined
        ? 'is required'
        : Array.isArray(allowedValues)
          ? `must be one of ${allowedValues.join(', ')}`
          : (message ?? 'is not acceptable')
  return { path, rule: keyword, message: `${path || 'the arguments'} ${sentence}` }
}

/** The name comes from the caller, so it is shortened, and escaped as RFC 6901 prescribes. */
const toToken = (name: string) => name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')
