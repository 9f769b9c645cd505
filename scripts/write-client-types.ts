// Writes the client's types (src/client/*-records.ts) from the registry of operations, so that
// the client needs nothing of the server's code. `--check` only compares.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { errorTable } from '../src/core/errors.ts'
import { operations } from '../src/operations/registry.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

type Schema = {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  required?: string[]
  readOnly?: boolean
  description?: string
}

type Place = [operation: string, ...way: string[]]

/** Where each type stands: an operation, then the way down from `body` or `data`. */
const files: Record<string, Record<string, Place>> = {
  'shared-records': {
    Media: ['getTask', 'data', 'properties', 'imageContent', 'items'],
    Money: ['getWorkflowRun', 'data', 'properties', 'cost'],
    Graph: ['getWorkflow', 'data', 'properties', 'data'],
    UnsupportedNode: ['validateWorkflow', 'data', 'properties', 'unsupportedNodes', 'items'],
  },
  'generation-records': {
    Model: ['listModels', 'data', 'properties', 'items', 'items'],
    ModelList: ['listModels', 'data'],
    ChatRequest: ['createChatCompletion', 'body'],
    Completion: ['createChatCompletion', 'data'],
    CreativeRequest: ['generateImage', 'body'],
    TaskStatus: ['getTask', 'data', 'properties', 'status'],
    AcceptedTask: ['generateImage', 'data'],
    Task: ['getTask', 'data'],
    TaskPage: ['listTasks', 'data'],
  },
  'workflow-records': {
    WorkflowSummary: ['listWorkflows', 'data', 'properties', 'items', 'items'],
    WorkflowPage: ['listWorkflows', 'data'],
    Workflow: ['getWorkflow', 'data'],
    NewWorkflow: ['createWorkflow', 'body'],
    WorkflowPatch: ['updateWorkflow', 'body'],
    DeletedWorkflow: ['deleteWorkflow', 'data'],
    Validation: ['validateWorkflow', 'data'],
    WorkflowSchema: ['getWorkflowSchema', 'data'],
    Estimate: ['estimateWorkflow', 'data'],
  },
  'run-records': {
    RunInput: ['runWorkflow', 'body'],
    RunStatus: ['getWorkflowRun', 'data', 'properties', 'status'],
    SubmittedRun: ['runWorkflow', 'data'],
    NodeError: ['getWorkflowRun', 'data', 'properties', 'nodeErrors', 'items'],
    NodeStatus: ['getWorkflowRunNode', 'data', 'properties', 'status'],
    RunNode: ['getWorkflowRun', 'data', 'properties', 'nodes', 'items'],
    RunSummary: ['listWorkflowRuns', 'data', 'properties', 'items', 'items'],
    RunPage: ['listWorkflowRuns', 'data'],
    Run: ['getWorkflowRun', 'data'],
    RunNodeDetail: ['getWorkflowRunNode', 'data'],
    Cancellation: ['cancelWorkflowRun', 'data'],
    RetryRequest: ['retryWorkflowRun', 'body'],
  },
}

function schemaAt(name: string, [operationId, part, ...way]: Place): Schema {
  const operation = operations.find(({ id }) => id === operationId)
  let found: unknown = part === 'body' ? operation?.body : operation?.success[200]?.data
  for (const step of way) found = (found as Record<string, unknown> | undefined)?.[step]
  if (!found) throw new Error(`${name}: ${operationId} has no ${[part, ...way].join('.')}`)
  return found as Schema
}

function typeOf(schema: Schema, names: ReadonlyMap<string, string>, indent: string): string {
  const name = names.get(shapeOf(schema))
  if (name !== undefined) return name
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  if (schema.anyOf && !schema.properties) {
    return schema.anyOf.map((one) => typeOf(one, names, indent)).join(' | ')
  }
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'integer':
    case 'number':
      return 'number'
    case 'array': {
      const item = typeOf(schema.items ?? {}, names, indent)
      return item.includes(' | ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`
    }
    case 'object':
      return objectType(schema, names, indent)
    default:
      return 'unknown'
  }
}

function objectType(schema: Schema, names: ReadonlyMap<string, string>, indent: string): string {
  const members = Object.entries(schema.properties ?? {}).filter(([, member]) => !member.readOnly)
  if (members.length === 0) {
    const [value] = Object.values(schema.patternProperties ?? {})
    return `Record<string, ${value ? typeOf(value, names, indent) : 'unknown'}>`
  }
  const inner = `${indent}  `
  const lines = members.flatMap(([key, member]) => {
    const optional = schema.required?.includes(key) ? '' : '?'
    const says = member.description ? [`${inner}/** ${member.description} */`] : []
    return [...says, `${inner}${key}${optional}: ${typeOf(member, names, inner)}`]
  })
  return `{\n${lines.join('\n')}\n${indent}}`
}

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value}'` : String(value)

/** Two schemas that differ only in what they say to people are one type. */
const shapeOf = (schema: Schema): string =>
  JSON.stringify(schema, (key, value) =>
    key === 'description' && typeof value === 'string' ? undefined : value,
  )

const named = Object.entries(files).flatMap(([file, places]) =>
  Object.entries(places).map(([name, place]) => ({ file, name, schema: schemaAt(name, place) })),
)
const names = new Map(named.map(({ name, schema }) => [shapeOf(schema), name]))

const says = `// Written from the registry of operations by scripts/write-client-types.ts; never by hand.\n`

function recordsText(file: string): string {
  const types = named
    .filter((one) => one.file === file)
    .map(({ name, schema }) => {
      const others = new Map(names)
      others.delete(shapeOf(schema))
      return `export type ${name} = ${typeOf(schema, others, '')}\n`
    })
    .join('\n')
  const shared = Object.keys(files['shared-records'] ?? {}).filter(
    (name) => file !== 'shared-records' && new RegExp(`\\b${name}\\b`).test(types),
  )
  const imports = shared.length
    ? `import type { ${shared.join(', ')} } from './shared-records.ts'\n\n`
    : ''
  return says + imports + types
}

const codesText = () =>
  `${says}export type ErrorCode = ${Object.keys(errorTable).map(literal).join(' | ')}\n`

/** Files that no longer follow from the registry; all are written unless only compared. */
export function writeClientTypes(options: { mode: 'write' | 'compare' }): string[] {
  const texts = Object.keys(files).map((file) => [file, recordsText(file)] as const)
  return [...texts, ['error-codes', codesText()] as const].flatMap(([file, text]) => {
    const path = `src/client/${file}.ts`
    const formatted = format(path, text)
    if (read(path) === formatted) return []
    if (options.mode === 'write') writeFileSync(root + path, formatted)
    return [path]
  })
}

function format(path: string, text: string): string {
  const args = ['format', `--stdin-file-path=${path}`]
  const { stdout, stderr, status } = spawnSync(`${root}node_modules/.bin/biome`, args, {
    cwd: root,
    input: text,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`biome: ${stderr}`)
  return stdout
}

function read(path: string): string {
  try {
    return readFileSync(root + path, 'utf8')
  } catch {
    return ''
  }
}

if (import.meta.main) {
  const mode = process.argv.includes('--check') ? 'compare' : 'write'
  const stale = writeClientTypes({ mode })
  if (stale.length > 0)
    console.log(`${mode === 'write' ? 'written' : 'stale'}: ${stale.join(', ')}`)
  if (mode === 'compare' && stale.length > 0) process.exit(1)
}
