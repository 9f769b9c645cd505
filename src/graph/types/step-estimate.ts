import { known, local } from '../node/guess.ts'
import type { Estimated, EstimateRequest, Guess } from '../node/node-type.ts'
import { type LoopConfig, outputPort, stepInputs } from './loop-step.ts'

type LoopRequest = Pick<EstimateRequest<LoopConfig>, 'config' | 'inputs' | 'env'>

/** The step of a loop for one item. */
export async function estimateStep(
  { config, inputs, env }: LoopRequest,
  item: Guess,
): Promise<Estimated> {
  const step = env.nodeType(config.apply.type)
  if (!step) return local({})
  const given = stepInputs(step, config, inputs.ports, { calls: env.calls, constant: known })
  return step.estimate({
    config: config.apply.data,
    inputs: { ports: given(item), merged: [] },
    env,
  })
}

/** The result of one item. */
export function resultOf({ outputs }: Estimated, { config, env }: LoopRequest): Guess {
  const step = env.nodeType(config.apply.type)
  return outputs[step ? outputPort(step, config.apply, env.calls) : 'output'] ?? known(null)
}
