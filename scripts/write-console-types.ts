// Generates console/src/api/types.ts from the registry of the developer area, so that the types of
// the console always match the server. `--check` only compares.
import { developerOperations } from '../src/developer/registry.ts'
import { type Schema, shapeOf, typeOf, writeFormatted } from './schema-types.ts'
import { clientRecordFiles, clientRecords } from './write-client-types.ts'

const path = 'console/src/api/types.ts'

type Path = [operation: string, ...members: string[]]

/** Records that screens use by name: an operation, then the members below its `data`. */
const records: Record<string, Path> = {
  SignedIn: ['signIn'],
  Account: ['getAccount'],
  Scope: ['listApiKeys', 'properties', 'items', 'items', 'properties', 'scopes', 'items'],
  KeyLimits: ['listApiKeys', 'properties', 'items', 'items', 'properties', 'limits'],
  ApiKey: ['listApiKeys', 'properties', 'items', 'items'],
  NewApiKey: ['createApiKey'],
  Credential: ['createCredential'],
  ConnectedApp: ['listConnectedApps', 'properties', 'items', 'items'],
  WebhookSecret: ['getWebhookSecret'],
  Delivery: ['redeliverWebhook'],
  DeliveryDetail: ['getDelivery'],
  DeliveryTry: ['getDelivery', 'properties', 'tries', 'items'],
  TestedWebhook: ['testWebhook'],
  SpendDay: ['getSpend', 'properties', 'items', 'items'],
  Usage: ['getUsage'],
  UsageSeries: ['getUsage', 'properties', 'series', 'items'],
  WorkflowEstimate: ['getUsage', 'properties', 'estimates', 'items'],
  SpendLimits: ['getSpendLimits'],
  ServerFacts: ['getServer'],
  TaskDetail: ['getTaskDetail'],
  Call: ['listCalls', 'properties', 'items', 'items'],
  NodeType: ['listNodeTypes', 'properties', 'items', 'items'],
  PortType: ['listNodeTypes', 'properties', 'portTypes', 'items'],
  GraphPorts: ['checkWorkflow', 'properties', 'ports', 'patternProperties', '^.*$'],
  GraphEstimate: ['checkWorkflow', 'properties', 'estimate', 'anyOf', '0'],
  CheckedWorkflow: ['checkWorkflow'],
  ListedWorkflow: ['listWorkflowsWithRuns', 'properties', 'items', 'items'],
  DraftSummary: ['putDraft'],
  Draft: ['getDraft'],
  VersionSummary: ['listWorkflowVersions', 'properties', 'items', 'items'],
  WorkflowVersion: ['getWorkflowVersion'],
  ListedRun: ['searchRuns', 'properties', 'items', 'items'],
  RunCall: ['getRunView', 'properties', 'calls', 'items'],
  RunView: ['getRunView'],
  InnerNode: ['getRunNode', 'properties', 'children', 'items'],
  RunNodeView: ['getRunNode'],
  Template: ['listTemplates', 'properties', 'items', 'items'],
}

function recordAt(name: string, [operationId, ...members]: Path): Schema {
  let found: unknown = dataOf(developerOperations.find(({ id }) => id === operationId))
  for (const member of members) found = (found as Record<string, unknown> | undefined)?.[member]
  if (!found) throw new Error(`${name}: ${operationId} has no ${members.join('.')}`)
  return found as Schema
}

type Operation = (typeof developerOperations)[number]

const dataOf = (operation: Operation | undefined): Schema | undefined =>
  Object.values(operation?.success ?? {})[0]?.data as Schema | undefined

const own = Object.entries(records).map(([name, record]) => ({
  name,
  schema: recordAt(name, record),
}))
const names = new Map([...clientRecords, ...own].map(({ name, schema }) => [shapeOf(schema), name]))

function ownTypes(): string {
  return own
    .map(({ name, schema }) => {
      const others = new Map(names)
      others.delete(shapeOf(schema))
      return `export type ${name} = ${typeOf(schema, others, '')}\n`
    })
    .join('\n')
}

function callType(operation: Operation): string {
  const { id, route, params, query, body } = operation
  const data = dataOf(operation)
  const member = (name: string, schema: unknown, absent: string) =>
    `    ${name}: ${schema ? typeOf(schema as Schema, names, '    ') : absent}`
  return [
    `  /** ${operation.summary}. */`,
    `  ${id}: {`,
    `    route: '${route}'`,
    member('params', params, 'Record<string, never>'),
    member('query', query, 'Record<string, never>'),
    member(
      operation.bodyOptional ? 'body?' : 'body',
      body,
      operation.streams ? 'Blob' : 'undefined',
    ),
    member('data', data, 'undefined'),
    '  }',
  ].join('\n')
}

const usedNames = (file: string, text: string): string[] =>
  (clientRecordFiles[file] ?? []).filter((name) => new RegExp(`\\b${name}\\b`).test(text)).sort()

function typesText(): string {
  const calls = `/** Every call of the developer area, by the id of its operation. */\nexport type DeveloperCalls = {\n${developerOperations.map(callType).join('\n')}\n}\n`
  const text = `${ownTypes()}\n${calls}`
  const files = Object.keys(clientRecordFiles).sort()
  const imports = files.flatMap((file) => {
    const used = usedNames(file, text)
    return used.length === 0 ? [] : [`import type { ${used.join(', ')} } from '#client/${file}.ts'`]
  })
  const exported = files.map((file) => `export type * from '#client/${file}.ts'`)
  return `// Written from the registries by scripts/write-console-types.ts; never by hand.\n${imports.join('\n')}\n\nexport type { ErrorCode } from '#client/error-codes.ts'\n${exported.join('\n')}\n\n${text}`
}

/** Returns the path if the file was out of date. Writes it, unless the mode is `compare`. */
export const writeConsoleTypes = (options: { mode: 'write' | 'compare' }): string[] =>
  writeFormatted(path, typesText(), options)

if (import.meta.main) {
  const mode = process.argv.includes('--check') ? 'compare' : 'write'
  const stale = writeConsoleTypes({ mode })
  if (stale.length > 0) console.log(`${mode === 'write' ? 'written' : 'stale'}: ${stale.join('')}`)
  if (mode === 'compare' && stale.length > 0) process.exit(1)
}
