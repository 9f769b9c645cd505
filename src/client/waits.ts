import type { AnsweredWait, Wait, WaitAnswerInput, WaitPage } from './run-records.ts'
import { type Call, type CallOptions, query, type Send, safe, segment } from './transport.ts'

export type WaitListOptions = CallOptions & {
  /** Only what you may decide. */
  mine?: boolean | undefined
  workflowId?: number | undefined
  /** Part of the title or of the workflow's name. */
  q?: string | undefined
  /** `next` of the previous page. */
  cursor?: string | undefined
  size?: number | undefined
}

const at = (runId: string, waitId: string) =>
  `/workflow-runs/${segment(runId)}/waits/${segment(waitId)}`

export const createWaits = (send: Send) => ({
  /** Lists the approvals and callbacks that runs of the account wait for, oldest first. */
  async list(options: WaitListOptions = {}): Promise<WaitPage> {
    const { mine, workflowId, q, cursor, size, ...call } = options
    const path = `/waits${query({ mine: mine?.toString(), workflowId, q, cursor, size })}`
    return (await send({ method: 'GET', path, safety: safe }, call)).data as WaitPage
  },
  /** Reads what a run waits for: its value, its form and, once there is one, the answer. */
  async get(runId: string, waitId: string, options?: CallOptions): Promise<Wait> {
    const call: Call = { method: 'GET', path: at(runId, waitId), safety: safe }
    return (await send(call, options)).data as Wait
  },
  /**
   * Approves or rejects. The key needs the scope `waits:answer`, which none has by default. A lost
   * answer is sent again: the server stores it once.
   */
  async answer(
    runId: string,
    waitId: string,
    answer: WaitAnswerInput,
    options?: CallOptions,
  ): Promise<AnsweredWait> {
    const path = at(runId, waitId)
    const call: Call = { method: 'POST', path, body: answer, safety: safe, about: { runId } }
    return (await send(call, options)).data as AnsweredWait
  },
})
