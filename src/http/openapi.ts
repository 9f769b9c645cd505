import { type ErrorCode, errorTable, requestErrorCodes } from '#core/error-table.ts'
import { developerPrefix } from '#developer/context.ts'
import { apiPrefix } from '#operations/context.ts'
import { changesNothing, type Operation, type SuccessForm } from '#operations/operation.ts'

type Described = Omit<Operation<never>, 'handle'>

/** A set of operations under one prefix that share one way to authenticate. */
export type DescribedSurface = {
  title: string
  prefix: string
  description: string
  security: { name: string; scheme: object }
  isOpen(operation: Described): boolean
}

export const publicSurface: DescribedSurface = {
  title: 'Atelier Agent API',
  prefix: apiPrefix,
  description:
    'Text, creative generation, asynchronous tasks and workflow runs, for people and agents.',
  security: {
    name: 'bearer',
    scheme: { type: 'http', scheme: 'bearer', description: 'An API key (sk_…) or a JWT.' },
  },
  isOpen: (operation) => operation.scope === 'public',
}

export const sessionSurface: DescribedSurface = {
  title: 'Atelier developer area',
  prefix: developerPrefix,
  description: 'What the console uses beside the Agent API: for signed-in people, by cookie.',
  security: {
    name: 'session',
    scheme: {
      type: 'apiKey',
      in: 'cookie',
      name: 'session',
      description: 'Set by signing in; called __Host-session where the server is reached by https.',
    },
  },
  isOpen: (operation) => !operation.errors.includes('AUTH_REQUIRED'),
}

/** Derives OpenAPI 3.1 from the registry. Its schemas are already JSON Schema 2020-12. */
export function openApiDocument(
  { title, prefix, description, security, isOpen }: DescribedSurface,
  operations: readonly Described[],
  baseUrl: string,
) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    const path = prefix + operation.path
    const described = { ...describe(operation), ...(isOpen(operation) ? { security: [] } : {}) }
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: described }
  }
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: '1.2.0',
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    security: [{ [security.name]: [] }],
    paths,
    components: {
      securitySchemes: { [security.name]: security.scheme },
      schemas: { AgentError: agentError },
    },
  }
}

function describe(operation: Described) {
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(operation.description ? { description: operation.description } : {}),
    ...(operation.scope === 'public' ? {} : { 'x-scope': operation.scope }),
    ...(operation.tool ? { 'x-tool': operation.tool.name } : {}),
    parameters: [
      ...parameters('path', operation.params),
      ...parameters('query', operation.query),
      ...Object.entries(operation.requestHeaders ?? {}).map(([name, header]) => ({
        name,
        in: 'header',
        ...header,
      })),
    ],
    ...(operation.body
      ? {
          requestBody: {
            required: !operation.bodyOptional,
            content: { 'application/json': { schema: operation.body } },
          },
        }
      : {}),
    ...(operation.streams ? { requestBody: bytesOf(operation.streams) } : {}),
    responses: { ...successes(operation), ...failures(operation) },
  }
}

const bytesOf = (types: readonly string[]) => ({
  required: true,
  content: Object.fromEntries(
    types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]),
  ),
})

function parameters(where: 'path' | 'query', schema: Described['params']) {
  const required = new Set<string>(schema?.required ?? [])
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    in: where,
    required: required.has(name),
    schema: property,
  }))
}

const successes = (operation: Described) => ({
  ...Object.fromEntries(
    Object.entries(operation.success).map(([status, form]) => [status, success(form)]),
  ),
  ...(hasTag(operation)
    ? { 304: { description: 'If-None-Match names the ETag of the answer.' } }
    : {}),
})

/** Every GET that returns JSON carries an ETag. */
const hasTag = ({ method, success }: Described) => method === 'GET' && success[200]?.data

export const envelope = (form: SuccessForm) => ({
  type: 'object',
  properties: { success: { const: true }, ...form.beside, data: form.data },
  required: ['success', ...Object.keys(form.beside ?? {}), 'data'],
})

function success(form: SuccessForm) {
  const content = form.data
    ? { 'application/json': { schema: envelope(form) } }
    : {
        [form.contentType ?? 'application/octet-stream']: {
          schema: { type: 'string', format: 'binary' },
        },
      }
  return {
    description: form.description,
    ...(form.headers ? { headers: form.headers } : {}),
    content,
  }
}

const everywhere: ErrorCode[] = ['RATE_LIMITED', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE']
const authenticated: ErrorCode[] = [
  'AUTH_REQUIRED',
  'INVALID_CREDENTIAL',
  'CREDENTIAL_EXPIRED',
  'INSUFFICIENT_SCOPE',
  'ACCOUNT_DISABLED',
]
const withBody: ErrorCode[] = ['INVALID_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']

export function errorCodesOf(operation: Described): ErrorCode[] {
  return [
    ...(operation.body ? [...withBody, operation.bodyFailure ?? 'INVALID_REQUEST'] : []),
    ...(operation.params || operation.query ? (['INVALID_REQUEST'] as const) : []),
    ...(operation.scope === 'public' ? [] : authenticated),
    ...operation.errors,
    ...(changesNothing(operation) ? [] : (['OUTCOME_UNKNOWN'] as const)),
    ...everywhere,
  ].filter((code, index, all) => all.indexOf(code) === index)
}

function failures(operation: Described) {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of errorCodesOf(operation)) {
    const { status } = errorTable[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `${code}: ${errorTable[code].message}`).join('\n\n'),
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/AgentError' } },
        },
      },
    ]),
  )
}

const agentError = {
  type: 'object',
  required: ['success', 'error'],
  properties: {
    success: { const: false },
    error: {
      type: 'object',
      required: ['code', 'message', 'retryable'],
      properties: {
        code: { type: 'string', enum: requestErrorCodes },
        message: { type: 'string' },
        retryable: {
          type: 'boolean',
          description: 'Whether the same request may be repeated.',
        },
        details: { description: 'Facts about this failure; issues[] for schema failures.' },
      },
    },
  },
}
