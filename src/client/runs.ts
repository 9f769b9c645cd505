import type { About } from './atelier-error.ts'
import type {
  Cancellation,
  RetryRequest,
  Run,
  RunInput,
  RunNodeDetail,
  RunPage,
  SubmittedRun,
} from './run-records.ts'
import type { PageOptions } from './tasks.ts'
import { type Call, type CallOptions, query, type Send, safe, segment } from './transport.ts'
import { pollAttempts, type WaitOptions, waitUntilTerminal } from './wait.ts'

/** Pass your own key if another process may repeat the call; otherwise one is generated. */
export type SubmitOptions = CallOptions & { idempotencyKey?: string | undefined }

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
    async list(workflowId: number, { page, size, ...options }: PageOptions = {}): Promise<RunPage> {
      const path = `/workflows/${segment(workflowId)}/runs${query({ page, size })}`
      return (await send({ method: 'GET', path, safety: safe }, options)).data as RunPage
    },
    async get(runId: string, options?: CallOptions): Promise<Run> {
      return (await send({ method: 'GET', path: at(runId), safety: safe }, options)).data as Run
    },
    async node(runId: string, nodeId: string, options?: CallOptions): Promise<RunNodeDetail> {
      const path = at(runId, `/nodes/${segment(nodeId)}`)
      return (await send({ method: 'GET', path, safety: safe }, options)).data as RunNodeDetail
    },
    /** Cancelling is cooperative: keep waiting until the status is terminal. */
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
    /** The client repeats a lost submission with the same key, so it never starts a second run. */
    submit,
    /** Starts a new run from a FAILED or CANCELLED one and reuses its finished nodes. */
    retry(
      runId: string,
      { version, idempotencyKey, ...options }: SubmitOptions & RetryRequest = {},
    ): Promise<Submission> {
      const body = version === undefined ? {} : { version }
      return submitTo(at(runId, '/retry'), body, idempotencyKey ?? newKey(), options)
    },
    /** Resolves with the ended run even if it FAILED or was CANCELLED, so check its status. */
    wait: (runId: string, options: WaitOptions<Run> = {}) => waitFor(runId, options, { runId }),
    /** `submit`, then `wait`. An error has the idempotencyKey and, once it is known, the runId. */
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

/** Does not use randomUUID, because pages served without TLS lack it. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
