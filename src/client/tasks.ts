import type { AtelierError } from './atelier-error.ts'
import type { AcceptedTask, CreativeRequest, Task, TaskPage } from './generation-records.ts'
import { type CallOptions, query, type Runtime, type Send, safe, segment } from './transport.ts'
import { pollAttempts, type WaitOptions, waitUntilTerminal } from './wait.ts'

/** `page` counts from 1; `size` is the number of items per page, at most 200. */
/** `cursor` is `next` of the previous answer; it takes the place of `page`. */
export type PageOptions = CallOptions & { page?: number; size?: number; cursor?: string }

/** How much the server's clock may differ from ours. */
const clockSlackMs = 5 * 60_000
const ifLost =
  'Do not submit again: the task may exist. Look for it with tasks.list() or tasks.recover(error).'

export function createGenerator(
  send: Send,
  { nowMs }: Runtime,
  kind: 'IMAGE' | 'VIDEO',
): (request: CreativeRequest, options?: CallOptions) => Promise<AcceptedTask> {
  const path = kind === 'IMAGE' ? '/images/generations' : '/videos/generations'
  return async (request, options) => {
    const submission = { kind, model: request.model, sentAtMs: nowMs() }
    const { data } = await send(
      {
        method: 'POST',
        path,
        body: request,
        safety: { repeat: 'refused', ifLost },
        about: { submission },
      },
      options,
    )
    return data as AcceptedTask
  }
}

export function createTasks(
  send: Send,
  sleep: (seconds: number, options: CallOptions) => Promise<void>,
) {
  const list = async ({ page, size, cursor, ...options }: PageOptions = {}): Promise<TaskPage> => {
    const path = `/tasks${query({ page, size, cursor })}`
    return (await send({ method: 'GET', path, safety: safe }, options)).data as TaskPage
  }
  const read = (taskId: string, options?: CallOptions, attempts?: number) =>
    send(
      {
        method: 'GET',
        path: `/tasks/${segment(taskId)}`,
        safety: safe,
        ...(attempts === undefined ? {} : { attempts }),
      },
      options,
    )
  return {
    /** Lists the image and video tasks of the account, newest first. */
    list,
    /** Reads the current state of a task; `wait` polls until it has ended. */
    get: async (taskId: string, options?: CallOptions) =>
      (await read(taskId, options)).data as Task,
    /** Polls a task until it has ended. Resolves even if it FAILED, so check its status. */
    wait: (taskId: string, options: WaitOptions<Task> = {}) =>
      waitUntilTerminal<Task>(
        () => read(taskId, options, pollAttempts),
        options,
        (seconds) => sleep(seconds, options),
      ),
    /**
     * Finds the tasks that a generation with an unknown outcome may have created. Of the newest 200
     * tasks, it returns those that were submitted directly (not by a run), with the same kind and
     * model, no earlier than five minutes before the call. Several may match; if none does, the
     * request may still be in transit.
     */
    async recover({ submission }: AtelierError, options?: CallOptions): Promise<Task[]> {
      if (!submission) throw new TypeError('the error is not from an image or video generation')
      const { kind, model, sentAtMs } = submission
      const { items } = await list({ size: 200, ...options })
      return items.filter(
        (task) =>
          task.source === 'DIRECT' &&
          task.kind === kind &&
          task.model === model &&
          Date.parse(task.createdAt) >= sentAtMs - clockSlackMs,
      )
    },
  }
}
