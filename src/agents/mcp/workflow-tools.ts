import type { Tool } from '@modelcontextprotocol/server'
import { bodySchema } from '#agents/tools/tool-list.ts'
import { apiPrefix } from '#api/public/context.ts'
import type { Ask } from './route-call.ts'
import { dataOf } from './tool-result.ts'

const pageSize = 50
const schemasAtOnce = 5
// The schema of a graph may take megabytes. A page that exceeds this size ends early.
const maxPageCharacters = 1024 * 1024
const maxNameCharacters = 40

type Workflow = { workflowId: number; name: string; version: number }
type JsonSchema = Tool['inputSchema']
type Schemas = { inputSchema: JsonSchema; outputSchema: JsonSchema }

/** Contains the name of the workflow for readers; only the id at its end identifies it. */
export function workflowToolName({ workflowId, name }: Pick<Workflow, 'workflowId' | 'name'>) {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .slice(0, maxNameCharacters)
    .replace(/^_+|_+$/g, '')
    .toLowerCase()
  return `${words || 'workflow'}_${workflowId}`
}

/** The id of the workflow that a tool name refers to, or null for a name of another form. */
export function workflowIdOf(toolName: string): number | null {
  const id = Number(/^[a-z0-9_]{1,64}_([1-9][0-9]{0,15})$/.exec(toolName)?.[1])
  return Number.isSafeInteger(id) ? id : null
}

/** Lists workflows from `offset` on as tools, except those that are no longer valid. */
export async function listWorkflowTools(
  ask: Ask,
  offset: number,
  signal: AbortSignal,
): Promise<{ tools: Tool[]; nextOffset: number | null }> {
  const page = Math.floor(offset / pageSize) + 1
  const path = `${apiPrefix}/workflows?page=${page}&size=${pageSize}`
  const { items, total } = dataOf<{ items: Workflow[]; total: number }>(await read(path))
  const tools: Tool[] = []
  let characters = 0
  let next = offset
  for (const last = (page - 1) * pageSize + items.length; next < last; ) {
    if (characters > maxPageCharacters) break
    const first = next % pageSize
    const batch = items.slice(first, first + schemasAtOnce)
    next += batch.length
    for (const tool of await Promise.all(batch.map(toTool))) {
      if (!tool) continue
      characters += JSON.stringify(tool).length
      tools.push(tool)
    }
  }
  return { tools, nextOffset: next < total && items.length > 0 ? next : null }

  async function toTool(workflow: Workflow): Promise<Tool | null> {
    const answer = await read(`${apiPrefix}/workflows/${workflow.workflowId}/schema`)
    // It was deleted after the list was read, or it is no longer valid.
    if (answer.status === 404 || answer.status === 422) return null
    return describe(workflow, dataOf<Schemas>(answer))
  }

  function read(path: string) {
    return ask({ method: 'GET', path, headers: {} }, signal)
  }
}

function describe(workflow: Workflow, { inputSchema, outputSchema }: Schemas): Tool {
  const outputs = Object.keys(outputSchema.properties ?? {}).slice(0, 20)
  return {
    name: workflowToolName(workflow),
    title: workflow.name,
    description: [
      `Run the stored workflow "${workflow.name}" (workflowId ${workflow.workflowId}).`,
      outputs.length > 0 ? `Outputs: ${outputs.join(', ')}.` : '',
      'Each call starts a new run, which may cost money. If the answer is not yet final, it holds a runId: read it with svc_get_workflow_run every retryAfterSeconds until the status is COMPLETED, FAILED or CANCELLED.',
    ]
      .filter((sentence) => sentence !== '')
      .join(' '),
    inputSchema,
    outputSchema: bodySchema({ data: runSchema(outputSchema) }),
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: true,
    },
  }
}

/** The outputs are null or absent until the run has completed, and if it failed. */
function runSchema({ $schema: _, ...outputs }: JsonSchema): object {
  return {
    type: 'object',
    properties: {
      runId: { type: 'string' },
      status: { type: 'string' },
      outputs: { anyOf: [{ type: 'null' }, outputs] },
    },
    required: ['runId', 'status'],
  }
}
