// For estimates: what a run with the same content would take over. Changes nothing.
import type { NodeReuse } from '#graph/node/node-reuse.ts'
import type { ReusableRequest } from '#graph/node/outside-calls.ts'
import type { EstimateReuse } from '#graph/node/reuse-lookup.ts'
import { createCallNumbers } from './call-numbers.ts'
import { sinceOf, takesPart } from './reuse.ts'
import { formOf, type Payer } from './reuse-key.ts'
import type { RunDeps } from './run-deps.ts'

type Deps = Pick<RunDeps, 'payloads' | 'clock' | 'reuse'>

export const reusableAnswers =
  ({ reuse, payloads, clock }: Deps) =>
  (payer: Payer): EstimateReuse => {
    const numbers = createCallNumbers()
    const { accountId } = payer.spender
    return {
      path: '',
      within: undefined,
      async find(path: string, call: ReusableRequest, policy: NodeReuse) {
        if (!reuse || !takesPart(call, policy)) return null
        const form = await formOf(reuse, call, payer)
        if (!form) return 'unknown'
        const key = numbers.keyFor(path, form)
        const found = await reuse.find(accountId, { key, sinceMs: sinceOf(policy, clock) })
        if (!found) return null
        const value = await payloads.read(accountId, found.result)
        return { value, savedMicros: found.savedMicros }
      },
    }
  }
