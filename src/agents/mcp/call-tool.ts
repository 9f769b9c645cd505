import { randomUUID } from 'node:crypto'
import {
  type CallToolRequest,
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { bindCall, checkArguments, type Tool } from '#agents/tools/tool-list.ts'
import { apiPrefix } from '#api/public/context.ts'
import { invalid } from '#core/errors.ts'
import { followWork, type Report, reportWaiting, type Time } from './follow-work.ts'
import type { Ask, RouteAnswer } from './route-call.ts'
import { declaresTasks, toCreatedTask } from './tasks.ts'
import { toRefusal, toResult } from './tool-result.ts'
import { toWorkResult, type Work, workOf } from './work.ts'
import { workflowIdOf } from './workflow-tools.ts'

/** What every call needs besides its arguments. */
type Calling = { ask: Ask; time: Time; retentionMs: number; context: ServerContext }

/**
 * The member of `_meta` in which a client passes the idempotency key of a workflow run. It is not
 * an argument, because the arguments of such a tool are the inputs of the workflow.
 */
const idempotencyMeta = 'atelier/idempotencyKey'

export async function callTool(
  calling: Calling,
  tool: Tool,
  args: Record<string, unknown>,
): Promise<CallToolResult> {
  const issues = checkArguments(tool, args)
  if (issues) return toRefusal(invalid('INVALID_REQUEST', issues, `${issues[0]?.message}.`))
  const { ask, time, context } = calling
  const call = ask(bindCall(tool, args), context.mcpReq.signal)
  const report = reportTo(context)
  if (tool.starts) return toStarted(calling, tool.starts, await call)
  if (tool.reads && report) return toResult(await readToEnd(calling, tool.reads, await call))
  return toResult(await reportWaiting(time, report, call))
}

/** A caller that asked for progress need not poll: it is answered when the work has ended. */
async function readToEnd(calling: Calling, kind: Work['kind'], read: RouteAnswer) {
  return read.status >= 400 ? read : follow(calling, workOf(kind, read), read)
}

/** Starts a run of the workflow that the name of the tool refers to. */
export async function callWorkflow(
  calling: Calling,
  { name, arguments: inputs = {} }: CallToolRequest['params'],
): Promise<CallToolResult> {
  const { ask, context } = calling
  const { _meta, signal } = context.mcpReq
  const workflowId = workflowIdOf(name)
  if (workflowId === null) throw unknownTool(name)
  const idempotencyKey = idempotencyKeyOf(_meta?.[idempotencyMeta])
  const answer = await ask(
    {
      method: 'POST',
      path: `${apiPrefix}/workflows/${workflowId}/runs`,
      headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body: JSON.stringify({ inputs }),
    },
    signal,
  )
  if (answer.status === 404) throw unknownTool(name)
  if (answer.status >= 400 || declaresTasks(context)) return toStarted(calling, 'run', answer)
  return toWorkResult(await follow(calling, workOf('run', answer), answer))
}

export const unknownTool = (name: string) =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 100)}`)

/** A caller that knows Tasks gets one. Any other caller gets the ID of the work. */
function toStarted(
  { retentionMs, context }: Calling,
  kind: Work['kind'],
  accepted: RouteAnswer,
): CallToolResult {
  if (accepted.status >= 400 || !declaresTasks(context)) return toResult(accepted)
  return toCreatedTask(workOf(kind, accepted), accepted, retentionMs)
}

async function follow({ ask, time, context }: Calling, work: Work, first: RouteAnswer) {
  const report = reportTo(context)
  const { signal } = context.mcpReq
  return report ? followWork(ask, time, { work, report, signal }, first) : first
}

function reportTo({ mcpReq: { _meta, notify } }: ServerContext): Report | undefined {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return undefined
  return (progress) =>
    notify({ method: 'notifications/progress', params: { progressToken, ...progress } })
}

/**
 * If the client passes no key, each call gets a new one, because nothing else in a call shows
 * whether it is a repetition.
 */
function idempotencyKeyOf(given: unknown): string {
  if (given === undefined) return randomUUID()
  if (typeof given === 'string') return given
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${idempotencyMeta} must be a string`)
}
