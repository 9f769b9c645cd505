// Serves the tools over MCP, both for the stateless revision of 2026 and for the earlier one with
// a handshake. A tool call becomes a request to the route of its operation, with the caller's own
// credential, so the route decides what the caller may do. Keeps no state between requests.

import {
  type AuthInfo,
  createMcpHandler,
  type ListToolsResult,
  type Tool as McpTool,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { toolFormatters } from '#agents/tools/tool-formats.ts'
import type { Tool } from '#agents/tools/tool-list.ts'
import { callTool, callWorkflow, unknownTool } from './call-tool.ts'
import type { Time } from './follow-work.ts'
import type { Ask, RouteCall } from './route-call.ts'
import { refuseListening, serveTasks, tasksCapability } from './tasks.ts'
import { listWorkflowTools } from './workflow-tools.ts'

type McpCaller = {
  authorization: string
  address: string
  requestId: string
  /** Whether stored workflows are offered as tools as well. */
  withWorkflows: boolean
  /** Whether tools are listed with their output schemas, which take three times the rest. */
  withSchemas: boolean
}

/** Answers one HTTP request. Its body is already parsed and its caller authenticated. */
type ServeMcp = (request: Request, body: unknown, caller: McpCaller) => Promise<Response>

type McpDeps = {
  tools: readonly Tool[]
  version: string
  callRoute: RouteCall
  time: Time
  /** How long ended runs and tasks are kept. */
  retentionMs: number
  onError(error: unknown, requestId: string): void
}

const instructions = [
  'Generate text, images and video, and store and run workflows of such steps.',
  'List the models before choosing one. Images, videos and runs are asynchronous: keep the taskId or runId and read it every retryAfterSeconds until its status is final.',
  'Never repeat an image or video submission whose answer was lost: list the tasks instead.',
  'Create, change and delete workflows only when the user agreed.',
].join(' ')

export function createMcp(deps: McpDeps): ServeMcp {
  const byName = new Map(deps.tools.map((tool) => [tool.name, tool]))
  const listed = deps.tools.map((tool) => toolFormatters.mcp(tool) as McpTool)
  const brief = listed.map(withoutSchema)
  const handler = createMcpHandler(({ authInfo, era }) => {
    const caller = authInfo?.extra?.caller as McpCaller
    const server = new Server(
      { name: 'atelier', title: 'Atelier', version: deps.version },
      {
        capabilities: { tools: {}, ...(era === 'modern' ? tasksCapability : {}) },
        instructions,
      },
    )
    const ask = askAs(caller, deps.callRoute)
    const guard = guarded(caller.requestId, deps.onError)
    server.setRequestHandler('tools/list', ({ params }, context) =>
      guard(context, () =>
        listTools(
          ask,
          caller,
          caller.withSchemas ? listed : brief,
          params?.cursor,
          context.mcpReq.signal,
        ),
      ),
    )
    server.setRequestHandler('tools/call', ({ params }, context) =>
      guard(context, () => {
        const calling = { ask, time: deps.time, retentionMs: deps.retentionMs, context }
        const tool = byName.get(params.name)
        if (tool) return callTool(calling, tool, params.arguments ?? {})
        if (caller.withWorkflows) return callWorkflow(calling, params)
        throw unknownTool(params.name)
      }),
    )
    if (era === 'modern') serveTasks(server, { ask, retentionMs: deps.retentionMs, guard })
    return server
  })
  return async (request, parsedBody, caller) =>
    refuseListening(parsedBody) ?? handler.fetch(request, { parsedBody, authInfo: carry(caller) })
}

/** Carries the caller through the MCP library, which passes it on without any check. */
const carry = (caller: McpCaller): AuthInfo => ({
  token: '',
  clientId: '',
  scopes: [],
  extra: { caller },
})

const askAs =
  ({ authorization, address, requestId }: McpCaller, callRoute: RouteCall): Ask =>
  (call, signal) =>
    callRoute({
      ...call,
      headers: { ...call.headers, authorization, 'x-request-id': requestId },
      address,
      signal,
    })

/** Logs unexpected errors and hides their message from the caller. */
const guarded =
  (requestId: string, onError: McpDeps['onError']) =>
  async <T>({ mcpReq: { signal } }: ServerContext, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      // A caller who disconnected caused the failure and will not read the response.
      if (error instanceof ProtocolError || signal.aborted) throw error
      onError(error, requestId)
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error', { requestId })
    }
  }

/** Models never see the schema of a result, but clients often count it against their context. */
const withoutSchema = ({ outputSchema: _, ...tool }: McpTool): McpTool => tool

async function listTools(
  ask: Ask,
  { withWorkflows, withSchemas }: McpCaller,
  listed: McpTool[],
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ListToolsResult> {
  if (cursor === undefined && !withWorkflows) return { tools: listed }
  const offset = cursor === undefined ? 0 : Number(/^workflows-([0-9]{1,9})$/.exec(cursor)?.[1])
  if (!withWorkflows || !Number.isInteger(offset)) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown cursor')
  }
  const { tools: workflows, nextOffset } = await listWorkflowTools(ask, offset, signal)
  const tools = withSchemas ? workflows : workflows.map(withoutSchema)
  return {
    tools: cursor === undefined ? [...listed, ...tools] : tools,
    ...(nextOffset === null ? {} : { nextCursor: `workflows-${nextOffset}` }),
  }
}
