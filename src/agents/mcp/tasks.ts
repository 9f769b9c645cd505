// The Tasks extension of MCP (io.modelcontextprotocol/tasks, SEP-2663): a call that starts a run,
// an image or a video answers with a task, which the client polls by itself. A task is our own
// durable record under another name, so any process can answer for it, also after a restart.

import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type Server,
  type ServerContext,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server'
import type { Ask, RouteAnswer } from './route-call.ts'
import { canAskPeople, giveInput, inputRequests } from './task-input.ts'
import { dataOf } from './tool-result.ts'
import { pathOf, readWork, stateOf, toWorkResult, type Work, type WorkState } from './work.ts'

const extension = 'io.modelcontextprotocol/tasks'

/** What a server or a client declares that knows Tasks. There are no settings. */
export const tasksCapability = { extensions: { [extension]: {} } }

/** In this revision clients declare what they know with every request. */
export const declaresTasks = ({ mcpReq: { envelope } }: ServerContext): boolean =>
  declaredIn(envelope as Meta)

type Meta = Record<string, unknown> | undefined

function declaredIn(meta: Meta): boolean {
  const declared = meta?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined
  return declared?.extensions?.[extension] !== undefined
}

const undeclared = () =>
  new MissingRequiredClientCapabilityError({ requiredCapabilities: tasksCapability })

type Listening = {
  id?: unknown
  method?: unknown
  params?: { notifications?: { taskIds?: unknown }; _meta?: Meta }
}

/**
 * The refusal of a client that wants to be notified of tasks but does not know them. The library
 * answers `subscriptions/listen` itself. It tells others that they will be notified of nothing.
 */
export function refuseListening(body: unknown): Response | undefined {
  const { id, method, params } = (body ?? {}) as Listening
  if (method !== 'subscriptions/listen') return undefined
  if (params?.notifications?.taskIds === undefined || declaredIn(params._meta)) return undefined
  const { code, message, data } = undeclared()
  return Response.json({ jsonrpc: '2.0', id, error: { code, message, data } }, { status: 400 })
}

export const toCreatedTask = (
  work: Work,
  accepted: RouteAnswer,
  retentionMs: number,
): CallToolResult => ({
  resultType: 'task',
  ...describe(work, stateOf(accepted), retentionMs),
  // The library refuses a result of tools/call without this member.
  content: [],
})

type Guard = (context: ServerContext, answer: () => Promise<Result>) => Promise<Result>

type Handle = (work: Work, context: ServerContext) => Promise<Result>

/** The methods by which a client reads, answers and cancels its tasks. */
export function serveTasks(
  server: Server,
  { ask, retentionMs, guard }: { ask: Ask; retentionMs: number; guard: Guard },
) {
  const methods: Record<string, Handle> = {
    'tasks/get': (work, context) => getTask(ask, work, retentionMs, context),
    'tasks/cancel': (work, { mcpReq: { signal } }) => cancelTask(ask, work, signal),
    // The library takes the responses out of the parameters.
    'tasks/update': async (work, { mcpReq: { signal, inputResponses = {} } }) => {
      await readTask(ask, work, signal)
      await giveInput(ask, work, inputResponses, signal)
      return {}
    },
  }
  for (const [method, answer] of Object.entries(methods)) {
    server.setRequestHandler(method, { params }, ({ taskId }, context) =>
      guard(context, async () => {
        if (!declaresTasks(context)) throw undeclared()
        return answer(workWithId(taskId), context)
      }),
    )
  }
}

async function getTask(ask: Ask, work: Work, retentionMs: number, context: ServerContext) {
  const { signal } = context.mcpReq
  const answer = await readTask(ask, work, signal)
  const task = describe(work, stateOf(answer), retentionMs)
  if (task.status === 'working' && canAskPeople(context)) {
    const asked = await inputRequests(ask, work, answer, signal)
    if (Object.keys(asked).length === 0) return task
    return { ...task, status: 'input_required', inputRequests: asked }
  }
  if (task.status !== 'completed') return task
  // The library adds this member to every result, but not to one inside another.
  return { ...task, result: { resultType: 'complete', ...toWorkResult(answer) } }
}

/** Cooperative, as for every run. A generation goes on: its provider would bill it anyway. */
async function cancelTask(ask: Ask, work: Work, signal: AbortSignal): Promise<Result> {
  if (work.kind === 'task') await readTask(ask, work, signal)
  else {
    const headers = { 'content-type': 'application/json' }
    const path = `${pathOf(work)}/cancel`
    existing(await ask({ method: 'POST', path, headers, body: '{}' }, signal))
  }
  return {}
}

const readTask = async (ask: Ask, work: Work, signal: AbortSignal): Promise<RouteAnswer> =>
  existing(await readWork(ask, work, signal))

function existing(answer: RouteAnswer): RouteAnswer {
  if (answer.status === 404) throw unknownTask()
  dataOf(answer)
  return answer
}

const unknownTask = () =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such task, or it has expired')

/** Names the kind, so that a task is read from one table, with the scope for that one only. */
const taskIdOf = ({ kind, id }: Work) => `${kind}-${id}`

function workWithId(taskId: string): Work {
  const [, kind, id] =
    /^(run|task)-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(taskId) ?? []
  if (kind === undefined || id === undefined) throw unknownTask()
  return { kind: kind as Work['kind'], id }
}

function describe(work: Work, state: WorkState, retentionMs: number) {
  const { createdAt, startedAt, completedAt, retryAfterSeconds } = state
  const tookMs = completedAt ? Date.parse(completedAt) - Date.parse(createdAt) : 0
  return {
    taskId: taskIdOf(work),
    status: statusOf(state),
    statusMessage: messageOf(state),
    createdAt,
    lastUpdatedAt: completedAt ?? startedAt ?? createdAt,
    // The record is deleted this long after its end. While it is at work, that can only get later.
    ttlMs: tookMs + retentionMs,
    pollIntervalMs: Math.max(retryAfterSeconds, 1) * 1000,
  }
}

/** `failed` would mean an error of the protocol. A run that failed is a result that says so. */
function statusOf({ status }: WorkState): 'working' | 'completed' | 'cancelled' {
  if (status === 'CANCELLED') return 'cancelled'
  return status === 'COMPLETED' || status === 'FAILED' ? 'completed' : 'working'
}

function messageOf({ status, progress }: WorkState): string {
  if (!progress) return status
  const { total, completed, skipped, failed } = progress
  return `${status}, ${completed + skipped + failed} of ${total} nodes have ended`
}

/** The library wants a schema for methods that it does not know itself. */
const params: StandardSchemaV1<{ taskId: string }> = {
  '~standard': {
    version: 1,
    vendor: 'atelier',
    validate: (value) => {
      const { taskId } = value as { taskId?: unknown }
      if (typeof taskId === 'string') return { value: { taskId } }
      return { issues: [{ message: 'taskId must be a string' }] }
    },
  },
}
