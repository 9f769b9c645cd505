import { namedIn } from '#api/named.ts'
import type { SuccessForm } from '#api/operation.ts'
import { apiVersion } from '#api/public/context.ts'
import { operations as publicOperations } from '#api/public/registry.ts'
import { Run, Waiting } from '#api/public/runs/run-record.ts'
import { graphComponents } from '#api/public/workflows/graph-components.ts'
import { nameSchemas, type Refer, type Schema, usedIn } from './components.ts'
import { examplesOf } from './examples.ts'
import { agentError, failures } from './failures.ts'
import { commonHeaders, commonParameters, headersOf, parameter } from './headers.ts'
import { linksOf } from './links.ts'
import {
  type Described,
  type DescribedSurface,
  publicSurface,
  tagDescriptions,
  tagOf,
} from './surfaces.ts'
import { callbacksOf, runWebhooks, waitingWebhookEvent, webhookEvent } from './webhook.ts'

/**
 * Derives OpenAPI 3.1 from the registry. Its schemas are already JSON Schema 2020-12; records get
 * names, which become the names of types in generated clients.
 */
export function openApiDocument(
  surface: DescribedSurface,
  operations: readonly Described[],
  baseUrl: string,
) {
  const { title, prefix, description, security, isOpen, also } = surface
  const isPublic = surface === publicSurface
  const { refer, schemas } = nameSchemas(
    // Last those of this surface: of two names for one shape, the last is used.
    new Map([...namedIn(publicOperations), ...namedIn(operations)]),
  )
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    const path = prefix + operation.path
    const isLimited = isPublic && !isOpen(operation)
    const described = {
      ...describe(operation, { refer, isLimited }),
      ...ownSecurity(surface, operation),
    }
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: described }
  }
  const tags = [...new Set(operations.map(({ path }) => tagOf(path)))]
  const webhooks = isPublic ? { webhooks: runWebhooks } : {}
  const all = { ...schemas, ...(isPublic ? onlyPublic(refer) : {}), AgentError: agentError }
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: apiVersion,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    security: [{ [security.name]: [] }],
    tags: [...tags, ...(isPublic ? ['Webhooks'] : [])].map((name) => ({
      name,
      ...(tagDescriptions[name] ? { description: tagDescriptions[name] } : {}),
    })),
    paths,
    ...webhooks,
    components: {
      securitySchemes: {
        [security.name]: security.scheme,
        ...(also ? { [also.name]: also.scheme } : {}),
      },
      parameters: commonParameters,
      headers: commonHeaders,
      schemas: usedIn({ paths, ...webhooks }, all),
    },
  }
}

/** Graphs of the console API may be drafts, which hold anything; those of the API are valid. */
function onlyPublic(refer: Refer): Record<string, Schema> {
  return {
    ...graphComponents(refer),
    WebhookEvent: webhookEvent(Run, refer),
    WaitingWebhookEvent: waitingWebhookEvent(Run, Waiting, refer),
  }
}

type Describing = { refer: Refer; isLimited: boolean }

/** The security of an operation, if it differs from that of the whole surface. */
function ownSecurity({ security, isOpen, also }: DescribedSurface, operation: Described) {
  if (isOpen(operation)) return { security: [] }
  if (!also?.accepts(operation)) return {}
  return { security: [{ [security.name]: [] }, { [also.name]: [] }] }
}

function describe(operation: Described, describing: Describing) {
  const { refer } = describing
  const example = examplesOf[operation.id]?.request
  const callbacks = callbacksOf[operation.id]
  return {
    operationId: operation.id,
    tags: [tagOf(operation.path)],
    summary: operation.summary,
    ...(operation.description ? { description: operation.description } : {}),
    ...(operation.scope === 'public' ? {} : { 'x-scope': operation.scope }),
    ...(operation.tool ? { 'x-tool': operation.tool.name } : {}),
    parameters: [
      ...parameters('path', operation.params, refer),
      ...parameters('query', operation.query, refer),
      ...Object.entries(operation.requestHeaders ?? {}).map(([name, header]) => ({
        name,
        in: 'header',
        ...header,
      })),
      parameter('RequestId'),
      ...(hasTag(operation) ? [parameter('IfNoneMatch')] : []),
    ],
    ...(operation.body
      ? {
          requestBody: {
            required: !operation.bodyOptional,
            content: {
              'application/json': {
                schema: refer(operation.body),
                ...(example === undefined ? {} : { example }),
              },
            },
          },
        }
      : {}),
    ...(operation.streams ? { requestBody: bytesOf(operation.streams) } : {}),
    responses: { ...successes(operation, describing), ...failures(operation, describing) },
    ...(callbacks ? { callbacks } : {}),
  }
}

const bytesOf = (types: readonly string[]) => ({
  required: true,
  content: Object.fromEntries(
    types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]),
  ),
})

function parameters(where: 'path' | 'query', schema: Described['params'], refer: Refer) {
  const required = new Set<string>(schema?.required ?? [])
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    in: where,
    required: required.has(name),
    schema: refer(property),
  }))
}

function successes(operation: Described, describing: Describing) {
  const facts = { ...describing, hasTag: hasTag(operation) }
  const answers = Object.entries(operation.success).map(([status, form]) => [
    status,
    success(form, Number(status), operation.id, facts),
  ])
  const known = {
    description: 'If-None-Match names the ETag of the answer, which is not sent again.',
    headers: headersOf(304, facts),
  }
  return { ...Object.fromEntries(answers), ...(facts.hasTag ? { 304: known } : {}) }
}

/** Every GET that returns JSON or an archive carries an ETag. */
const hasTag = ({ method, success: { 200: form } }: Described): boolean =>
  method === 'GET' && (form?.data ?? form?.contentType) !== undefined

export const envelope = (form: SuccessForm) => ({
  type: 'object',
  properties: { success: { const: true }, ...form.beside, data: form.data },
  required: ['success', ...Object.keys(form.beside ?? {}), 'data'],
})

function success(
  form: SuccessForm,
  status: number,
  operationId: string,
  facts: Describing & { hasTag: boolean },
) {
  const links = linksOf[operationId]
  return {
    description: form.description,
    headers: { ...headersOf(status, facts), ...form.headers },
    ...(form.data || form.contentType
      ? { content: contentOf(form, operationId, facts.refer) }
      : {}),
    ...(links ? { links } : {}),
  }
}

function contentOf(form: SuccessForm, operationId: string, refer: Refer) {
  if (!form.data) {
    return { [form.contentType ?? '']: { schema: { type: 'string', format: 'binary' } } }
  }
  const data = examplesOf[operationId]?.data as { taskId?: string } | undefined
  // The member beside `data` repeats one inside it.
  const beside = form.beside && data ? { taskId: data.taskId } : {}
  const example = data === undefined ? {} : { example: { success: true, ...beside, data } }
  return { 'application/json': { schema: refer(envelope(form)), ...example } }
}
