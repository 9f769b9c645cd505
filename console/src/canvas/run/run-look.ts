import { runStatusLook } from '#console/shared/run-looks.ts'
import { delayedLook } from '#console/shared/wait-words.ts'
import { nodeState } from './node-state.ts'
import type { RunState } from './run-state.ts'

/** A run of which nothing works while it waits for somebody or a provider says so, instead of "Running". */
export function runLook({ run, nodes }: Pick<RunState, 'run' | 'nodes'>) {
  const all = Object.values(nodes)
  const waiting = all.find(({ status }) => status === 'WAITING')
  const isWaiting = run.status === 'RUNNING' && !all.some(({ status }) => status === 'RUNNING')
  const working = all.filter(({ status }) => status === 'RUNNING')
  const [delayed] = working
  if (run.status === 'RUNNING' && delayed?.waitReason && working.every((node) => node.waitReason))
    return delayedLook(delayed.waitReason)
  return waiting && isWaiting ? nodeState(waiting, waiting.type) : runStatusLook(run.status)
}
