// The function-calling form of the operations: names, arguments and rules of use, all from the
// registry, and how a call becomes a request to the route of its operation.
// Never answers a call itself: the route does, with the credential of the caller.

import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import type { Issue } from '#core/errors.ts'
import { apiPrefix, type Context } from '#operations/context.ts'
import type { Method, Operation } from '#operations/operation.ts'

export type Tool = {
  name: string
  description: string
  /** A closed JSON Schema of the arguments. */
  parameters: ToolParameters
  operation: Operation<Context>
  hints: ToolHints
}

export type ToolParameters = {
  type: 'object'
  properties: Record<string, object>
  required?: string[]
  additionalProperties: false
}

type ToolHints = {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: boolean
}

export type ToolArguments = Record<string, unknown>

/** The order in which people and models read them: from choosing to undoing. */
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
    .flatMap((operation) => (operation.tool ? [toTool(operation, operation.tool)] : []))
    .sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
}

const toTool = (
  operation: Operation<Context>,
  { name, description }: NonNullable<Operation<Context>['tool']>,
): Tool => ({
  name,
  description,
  parameters: parametersOf(operation),
  operation,
  hints: hintsOf(operation),
})

function parametersOf({ tool, params, query, body }: Operation<Context>): ToolParameters {
  const parts = tool?.arguments ? [tool.arguments] : [params, query, body]
  const plain = parts.map((part) => toPlain(part ?? {}) as Partial<ToolParameters>)
  const required = plain.flatMap((part) => part.required ?? [])
  return {
    type: 'object',
    properties: Object.assign({}, ...plain.map((part) => part.properties)),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}

/** Plain JSON, as it goes over the wire; an object that names no member says only its type. */
const toPlain = (schema: object): unknown =>
  JSON.parse(JSON.stringify(schema), (key, value) =>
    key === 'properties' && Object.keys(value).length === 0 ? undefined : value,
  )

function hintsOf({ scope, repeatable, rate }: Operation<Context>): ToolHints {
  const readOnlyHint = scope.endsWith(':read')
  const idempotentHint = !readOnlyHint && repeatable
  // What is counted against a limit of its own is what reaches providers.
  const openWorldHint = rate !== undefined
  const destructiveHint = idempotentHint && !openWorldHint
  return { readOnlyHint, destructiveHint, idempotentHint, openWorldHint }
}

export type BoundCall = {
  method: Method
  /** With the prefix of the API and the query. */
  path: string
  headers: Record<string, string>
  body: string | undefined
}

/** The request a call stands for. The arguments have been checked. */
export function bindCall({ operation }: Tool, args: ToolArguments): BoundCall {
  const rest = new Map(Object.entries(args))
  const take = (name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    return value
  }
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(take(name))),
  )
  const query = new URLSearchParams()
  for (const name of ['page', 'size']) {
    const value = take(name)
    if (value !== undefined) query.set(name, String(value))
  }
  const headers: Record<string, string> = {}
  const key = take('idempotencyKey')
  if (key !== undefined) headers['idempotency-key'] = String(key)
  if (operation.body) headers['content-type'] = 'application/json'
  return {
    method: operation.method,
    path: `${apiPrefix}${path}${query.size > 0 ? `?${query}` : ''}`,
    headers,
    body: operation.body ? JSON.stringify(Object.fromEntries(rest)) : undefined,
  }
}

// Collecting every error of a large hostile call would cost far more memory than the call.
const collectAllBelowCharacters = 64 * 1024
const maxIssues = 100

const thorough = new Ajv2020({ allErrors: true })
const brief = new Ajv2020()
for (const ajv of [thorough, brief]) {
  ajvFormats.default(ajv)
  // The operation reads addresses itself, with codes of its own.
  ajv.addFormat('uri', true)
}

/** What is wrong with the arguments of a call; null where nothing is. */
export function checkArguments(tool: Tool, args: unknown): Issue[] | null {
  const isSmall = JSON.stringify(args ?? null).length < collectAllBelowCharacters
  const check = (isSmall ? thorough : brief).compile(tool.parameters)
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

/** Names come from the caller: as much as a reader needs, escaped as RFC 6901 says. */
const toToken = (name: string) => name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')
