import { type CallOptions, query, type Send, safe, segment } from './transport.ts'
import type {
  DeletedTrigger,
  Firing,
  FiringList,
  NewTrigger,
  Trigger,
  TriggerList,
  TriggerPatch,
} from './trigger-records.ts'

type ListOptions = CallOptions & {
  /** `next` of the previous answer. */
  cursor?: string | undefined
  size?: number | undefined
}

const ifCreateLost = 'Do not create it again at once: list the triggers to find out.'
const ifFireLost = 'List the firings of the trigger to find out, or send an idempotency key.'

const at = (workflowId: number, triggerId?: string, rest = '') =>
  `/workflows/${segment(workflowId)}/triggers${triggerId === undefined ? '' : `/${segment(triggerId)}`}${rest}`

/** What starts runs of a workflow by itself: schedules, single times and webhooks. */
export function createTriggers(send: Send) {
  const read = async (path: string, options?: CallOptions) =>
    (await send({ method: 'GET', path, safety: safe }, options)).data
  return {
    /** Of one workflow, or of all of them. */
    async list(
      workflowId: number | null,
      { cursor, size, ...options }: ListOptions = {},
    ): Promise<TriggerList> {
      const path = workflowId === null ? '/triggers' : at(workflowId)
      return (await read(`${path}${query({ cursor, size })}`, options)) as TriggerList
    },
    async get(workflowId: number, triggerId: string, options?: CallOptions): Promise<Trigger> {
      return (await read(at(workflowId, triggerId), options)) as Trigger
    },
    /** The address of a webhook is in this answer and never shown again. */
    async create(workflowId: number, trigger: NewTrigger, options?: CallOptions): Promise<Trigger> {
      const { data } = await send(
        {
          method: 'POST',
          path: at(workflowId),
          body: trigger,
          safety: { repeat: 'refused', ifLost: ifCreateLost },
        },
        options,
      )
      return data as Trigger
    },
    /** Changes a trigger. Omitted properties keep their value. */
    async update(
      workflowId: number,
      triggerId: string,
      patch: TriggerPatch,
      options?: CallOptions,
    ): Promise<Trigger> {
      const call = { method: 'PUT', path: at(workflowId, triggerId), body: patch } as const
      return (await send({ ...call, safety: safe }, options)).data as Trigger
    },
    async delete(
      workflowId: number,
      triggerId: string,
      options?: CallOptions,
    ): Promise<DeletedTrigger> {
      const path = at(workflowId, triggerId)
      return (await send({ method: 'DELETE', path, safety: safe }, options)).data as DeletedTrigger
    },
    /** Fires it now. With an idempotency key, the call may be repeated and fires once. */
    async fire(
      workflowId: number,
      triggerId: string,
      { idempotencyKey, ...options }: CallOptions & { idempotencyKey?: string } = {},
    ): Promise<Firing> {
      const { data } = await send(
        {
          method: 'POST',
          path: at(workflowId, triggerId, '/fire'),
          ...(idempotencyKey === undefined
            ? { safety: { repeat: 'refused', ifLost: ifFireLost } }
            : { headers: { 'idempotency-key': idempotencyKey }, safety: safe }),
        },
        options,
      )
      return data as Firing
    },
    /** Newest first, each with its run or why there is none. */
    async firings(
      workflowId: number,
      triggerId: string,
      { cursor, size, ...options }: ListOptions = {},
    ): Promise<FiringList> {
      const path = at(workflowId, triggerId, `/firings${query({ cursor, size })}`)
      return (await read(path, options)) as FiringList
    },
  }
}
