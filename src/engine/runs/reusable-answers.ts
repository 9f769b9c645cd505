// For estimates: what a run with the same content would take over. Changes nothing.
import type { NodeReuse } from '#graph/node/node-reuse.ts'
import type { ReusableRequest } from '#graph/node/outside-calls.ts'
import type { EstimateReuse } from '#graph/node/reuse-lookup.ts'
import { createCallNumbers } from './call-numbers.ts'
import { mediaAddress } from './renew-held.ts'
import { sinceOf, takesPart } from './reuse.ts'
import { formOf, type Payer } from './reuse-key.ts'
import type { RunDeps } from './run-deps.ts'

type Deps = Pick<RunDeps, 'payloads' | 'clock' | 'reuse'>

export const reusableAnswers =
  ({ reuse, payloads, clock }: Deps) =>
  (payer: Payer): EstimateReuse => {
    const numbers = createCallNumbers()
    const { accountId } = payer.spender
    /** Keys of calls that the run makes itself: an equal one that comes later takes over its answer. */
    const made = new Set<string>()
    /** Media that a run would keep under addresses of its own. */
    const moved = new Set<string>()
    const namesMoved = (call: ReusableRequest) =>
      moved.size > 0 && mediaIn(textsOf(call)).some((id) => moved.has(id))
    const isUnderWay = async ({ kind }: ReusableRequest, asked: { key: string; sinceMs: number }) =>
      kind === 'MEDIA' && (await reuse?.underWay(accountId, { ...asked, runId: null }))?.length
    return {
      path: '',
      within: undefined,
      async find(path: string, call: ReusableRequest, policy: NodeReuse) {
        if (!reuse || !takesPart(call, policy) || namesMoved(call)) return null
        const form = await formOf(reuse, call, payer)
        if (!form) return 'unknown'
        const asked = { key: numbers.keyFor(path, form), sinceMs: sinceOf(policy, clock) }
        const found = await reuse.find(accountId, asked)
        if (!found) {
          const mayBeFound = made.has(asked.key) || (await isUnderWay(call, asked))
          made.add(asked.key)
          return mayBeFound ? 'unknown' : null
        }
        const value = await payloads.read(accountId, found.result)
        if (call.kind === 'MEDIA') for (const id of mediaIn(value)) moved.add(id)
        return { value, savedMicros: found.savedMicros }
      },
    }
  }

const mediaIn = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(mediaAddress)].flatMap(([, id]) => id ?? [])

/** Pictures that a call is given are compared by what they show, their addresses in texts are sent. */
const textsOf = ({ kind, call }: ReusableRequest): object =>
  kind === 'HTTP' ? call : { ...call, image: undefined, mask: undefined }
