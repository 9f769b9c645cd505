import type { About } from './atelier-error.ts'
import type {
  Cancellation,
  RetryRequest,
  Run,
  RunItem,
  RunItemPage,
  RunNodeDetail,
  RunPage,
  SubmittedRun,
} from './run-records.ts'
import type { RunInput } from './shared-records.ts'
import type { PageOptions } from './tasks.ts'
import { type Call, type CallOptions, query, type Send, safe, segment } from './transport.ts'
import { pollAttempts, type WaitOptions, waitUntilTerminal } from './wait.ts'

export type SubmitOptions = CallOptions & {
  /** Pass your own key if another process may repeat the call; otherwise one is generated. */
  idempotencyKey?: string | undefined
}

export type RunItemsOptions = PageOptions & {
  /** Only items of this state. */
  status?: RunItem['status'] | undefined
}

/** The submitted run and the key it was submitted with. */
export type Submission = SubmittedRun & { idempotencyKey: string }

type Sleep = (seconds: number, options: CallOptions) => Promise<void>

const at = (runId: string, rest = '') => `/workflow-runs/${segment(runId)}${rest}`

export const createRuns = (send: Send, sleep: Sleep) => ({
  ...createReads(send),
  ...createSubmissions(send, sleep),
})

function createReads(send: Send) {
  return {
    /** Lists the runs of a workflow, newest first. */
    async list(
      workflowId: number,
      { page, size, cursor, ...options }: PageOptions = {},
    ): Promise<RunPage> {
      const path = `/workflows/${segment(workflowId)}/runs${query({ page, size, cursor })}`
      return (await send({ method: 'GET', path, safety: safe }, options)).data as RunPage
    },
    /** Reads the current state of a run; `wait` polls until it has ended. */
    async get(runId: string, options?: CallOptions): Promise<Run> {
      return (await send({ method: 'GET', path: at(runId), safety: safe }, options)).data as Run
    },
    /** Reads the inputs, calls and outputs of one node of a run. */
    async node(runId: string, nodeId: string, options?: CallOptions): Promise<RunNodeDetail> {
      const path = at(runId, `/nodes/${segment(nodeId)}`)
      return (await send({ method: 'GET', path, safety: safe }, options)).data as RunNodeDetail
    },
    /** Lists the items of a list in a run, or the passes of a loop, with state, cost and error. */
    async items(
      runId: string,
      path: string,
      { page, size, cursor, status, ...options }: RunItemsOptions = {},
    ): Promise<RunItemPage> {
      const path_ = at(runId, `/items${query({ path, status, page, size, cursor })}`)
      return (await send({ method: 'GET', path: path_, safety: safe }, options)).data as RunItemPage
    },
    /** Asks a run to stop. Calls in flight may still finish: `wait` resolves once it has ended. */
    async cancel(
      runId: string,
      { reason, ...options }: CallOptions & { reason?: string | undefined } = {},
    ): Promise<Cancellation> {
      const body = reason === undefined ? {} : { reason }
      const call: Call = { method: 'POST', path: at(runId, '/cancel'), body, safety: safe }
      return (await send(call, options)).data as Cancellation
    },
  }
}

function createSubmissions(send: Send, sleep: Sleep) {
  const submitTo = async (
    path: string,
    body: RunInput | RetryRequest,
    key: string,
    options: CallOptions,
  ): Promise<Submission> => {
    const headers = { 'idempotency-key': key }
    const about = { idempotencyKey: key }
    const call: Call = { method: 'POST', path, body, headers, safety: safe, about }
    const { data } = await send(call, options)
    return { ...(data as SubmittedRun), idempotencyKey: key }
  }

  const submit = (
    workflowId: number,
    input: RunInput = {},
    { idempotencyKey, ...options }: SubmitOptions = {},
  ): Promise<Submission> => {
    const key = idempotencyKey ?? input.idempotencyKey ?? newKey()
    return submitTo(`/workflows/${segment(workflowId)}/runs`, input, key, options)
  }

  const waitFor = (runId: string, options: WaitOptions<Run>, about: About): Promise<Run> => {
    const path = at(runId)
    return waitUntilTerminal<Run>(
      () => send({ method: 'GET', path, safety: safe, about, attempts: pollAttempts }, options),
      options,
      (seconds) => sleep(seconds, options),
    )
  }

  return {
    /**
     * Starts a run and resolves once the server has stored it. A lost submission is repeated with
     * the same idempotency key, so it never starts a second run.
     */
    submit,
    /** Starts a new run that repeats a FAILED or CANCELLED one and reuses its finished nodes. */
    retry(
      runId: string,
      { version, idempotencyKey, ...options }: SubmitOptions & RetryRequest = {},
    ): Promise<Submission> {
      const body = version === undefined ? {} : { version }
      return submitTo(at(runId, '/retry'), body, idempotencyKey ?? newKey(), options)
    },
    /**
     * Polls a run until it has ended. Resolves even if it FAILED or was CANCELLED, so check its
     * status. Aborting the signal stops the waiting, not the run.
     */
    wait: (runId: string, options: WaitOptions<Run> = {}) => waitFor(runId, options, { runId }),
    /** `submit`, then `wait`. An error has the `idempotencyKey` and, once known, the `runId`. */
    async submitAndWait(
      workflowId: number,
      input: RunInput = {},
      options: SubmitOptions & WaitOptions<Run> = {},
    ): Promise<Run> {
      const { runId, idempotencyKey, retryAfterSeconds } = await submit(workflowId, input, options)
      await sleep(retryAfterSeconds, options)
      return waitFor(runId, options, { runId, idempotencyKey })
    },
  }
}

/** Not randomUUID, which browsers lack on pages that are served without TLS. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
