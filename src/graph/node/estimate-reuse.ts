// What answers of earlier calls mean for an estimate: a call that is found costs nothing, and its
// answer is known, so that the nodes behind it are estimated with it.
import { exactly, known } from './guess.ts'
import { NodeFailure } from './node-failure.ts'
import { type NodeReuse, stricter } from './node-reuse.ts'
import type { Estimated, EstimateEnv, Guess } from './node-type.ts'
import type { ReusableRequest } from './outside-calls.ts'
import type { EstimateReuse, ReusedPart } from './reuse-lookup.ts'
import { isMedia } from './values.ts'

/** The same for a node inside, or for the items of a list. */
export const inside = (
  reuse: EstimateReuse | undefined,
  { node, settings }: { node?: string; settings?: NodeReuse },
): EstimateReuse | undefined =>
  reuse && {
    ...reuse,
    path: node === undefined ? reuse.path : `${reuse.path}/${node}`,
    within: stricter(reuse.within, settings),
  }

/** For a step that is estimated once for many items: only a run can tell which answers it finds. */
export const perhapsFound = (reuse: EstimateReuse | undefined): EstimateReuse | undefined =>
  reuse && { ...reuse, find: async () => 'unknown' }

/**
 * The estimate of one call. `call`: null if some of it is known only at run time; then it may be
 * found, so that it costs at least nothing.
 */
export async function estimateCall(
  env: EstimateEnv,
  settings: NodeReuse,
  { call, outputs }: { call: ReusableRequest | null; outputs(answer: unknown): object },
  estimate: () => Estimated | Promise<Estimated>,
): Promise<Estimated> {
  const policy = stricter(env.reuse?.within, settings)
  if (!env.reuse || policy === false) return estimate()
  const found = call ? await env.reuse.find(env.reuse.path, call, policy) : 'unknown'
  if (found === null) return estimate()
  if (found === 'unknown') return mayCostNothing(await estimate())
  const made = madeOf(() => outputs(found.value))
  // The run would fail over this answer, and the next one ask again.
  if (!made) return estimate()
  const ports: Record<string, Guess> = {}
  for (const [name, value] of Object.entries(made)) ports[name] = known(value)
  return {
    model: null,
    calls: 0,
    units: {},
    cost: exactly(0),
    exact: true,
    assumptions: [],
    outputs: ports,
    reused: { calls: 1, savedMicros: found.savedMicros },
  }
}

function madeOf(outputs: () => object): object | null {
  try {
    return outputs()
  } catch (error) {
    if (error instanceof NodeFailure) return null
    throw error
  }
}

const mayCostNothing = (estimated: Estimated): Estimated =>
  estimated.cost === null || estimated.cost.high === 0
    ? estimated
    : {
        ...estimated,
        cost: { ...estimated.cost, low: 0 },
        exact: false,
        assumptions: [
          ...estimated.assumptions,
          'What is before it runs again: if that comes out as before, it costs nothing.',
        ],
      }

/** The picture that a node is given: none, one with an address, or one that is not known yet. */
export function pictureOf(guess: Guess | undefined): { url: string } | undefined | 'unknown' {
  if (!guess) return undefined
  if (!guess.known) return 'unknown'
  const { value } = guess
  if (value === null || value === undefined) return undefined
  if (isMedia(value)) return value
  return typeof value === 'string' ? { url: value } : 'unknown'
}

export const addReused = (parts: readonly Estimated[]): { reused?: ReusedPart } => {
  const found = parts.flatMap(({ reused }) => reused ?? [])
  if (found.length === 0) return {}
  const sum = (of: keyof ReusedPart) => found.reduce((total, part) => total + part[of], 0)
  return { reused: { calls: sum('calls'), savedMicros: sum('savedMicros') } }
}
