// Generates the client's types (src/client/*-records.ts) from the registry of operations, so that
// the client does not depend on the server's code. `--check` only compares.
import { errorTable } from '../src/core/error-table.ts'
import { operations } from '../src/operations/registry.ts'
import { literal, type Schema, shapeOf, typeOf, writeFormatted } from './schema-types.ts'

type Path = [operation: string, ...members: string[]]

/** The path of each type: an operation, then the members below `body` or `data`. */
const files: Record<string, Record<string, Path>> = {
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
    WorkflowTemplate: ['listWorkflowTemplates', 'data', 'properties', 'items', 'items'],
    WorkflowTemplateList: ['listWorkflowTemplates', 'data'],
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

function schemaAt(name: string, [operationId, side, ...members]: Path): Schema {
  const operation = operations.find(({ id }) => id === operationId)
  let found: unknown = side === 'body' ? operation?.body : operation?.success[200]?.data
  for (const member of members) found = (found as Record<string, unknown> | undefined)?.[member]
  if (!found) throw new Error(`${name}: ${operationId} has no ${[side, ...members].join('.')}`)
  return found as Schema
}

/** Every type with its name and its schema. */
export const clientRecords = Object.entries(files).flatMap(([file, types]) =>
  Object.entries(types).map(([name, path]) => ({ file, name, schema: schemaAt(name, path) })),
)
const names = new Map(clientRecords.map(({ name, schema }) => [shapeOf(schema), name]))

/** The names of each file. */
export const clientRecordFiles: Record<string, string[]> = Object.fromEntries(
  Object.entries(files).map(([file, types]) => [file, Object.keys(types)]),
)

const header = `// Generated from the registry of operations by scripts/write-client-types.ts; do not edit.\n`

function recordsText(file: string): string {
  const types = clientRecords
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
  return header + imports + types
}

const codesText = () =>
  `${header}export type ErrorCode = ${Object.keys(errorTable).map(literal).join(' | ')}\n`

/** Returns the files that were out of date. Writes them, unless the mode is `compare`. */
export function writeClientTypes(options: { mode: 'write' | 'compare' }): string[] {
  const texts = Object.keys(files).map((file) => [file, recordsText(file)] as const)
  return [...texts, ['error-codes', codesText()] as const].flatMap(([file, text]) =>
    writeFormatted(`src/client/${file}.ts`, text, options),
  )
}

if (import.meta.main) {
  const mode = process.argv.includes('--check') ? 'compare' : 'write'
  const stale = writeClientTypes({ mode })
  if (stale.length > 0)
    console.log(`${mode === 'write' ? 'written' : 'stale'}: ${stale.join(', ')}`)
  if (mode === 'compare' && stale.length > 0) process.exit(1)
}
