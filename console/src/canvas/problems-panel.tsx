import { CircleAlert, TriangleAlert } from 'lucide-react'
import { cx } from '#console/lib/cx.ts'
import type { Actions } from './actions.ts'
import { useGraph, useView } from './context.ts'
import { findNode } from './graph.ts'
import { titleOf } from './node-types.ts'
import type { PlacedProblem } from './placed-problem.ts'
import { Remedies } from './remedies.tsx'

export type ProblemsPanelProps = { actions: Actions; onGo(problem: PlacedProblem): void }

/** Lists everything that is wrong; each entry leads to its place, and offers what mends it. */
export function ProblemsPanel({ actions, onGo }: ProblemsPanelProps) {
  const problems = useView((state) => state.problems)
  const current = useView((state) => state.currentProblem)
  const isOld = useView((state) => state.isCheckOld)
  const types = useView((state) => state.types)
  const graph = useGraph()
  if (problems.length === 0) {
    return (
      <p className="px-4 py-3 text-soft">
        {graph.nodes.length === 0
          ? 'Add a node: what it still needs is then listed here.'
          : 'This graph has no problems.'}
      </p>
    )
  }
  return (
    <>
      {isOld && (
        <p className="px-4 pt-2 text-warn text-sm">
          Not checked since the last change: the server could not be reached.
        </p>
      )}
      <ul className="max-h-48 overflow-y-auto py-1">
        {problems.map((problem, index) => {
          const node = problem.nodeId === undefined ? undefined : findNode(graph, problem.nodeId)
          const Icon = problem.level === 'error' ? CircleAlert : TriangleAlert
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: two problems may read the same
            <li key={index} className="flex flex-wrap items-center pr-4">
              <button
                type="button"
                onClick={() => onGo(problem)}
                aria-current={problem === current || undefined}
                className="flex min-w-60 flex-1 items-start gap-2 px-4 py-1.5 text-left text-sm hover:bg-sunken aria-[current]:bg-sunken"
              >
                <Icon
                  size={16}
                  aria-label={problem.level === 'error' ? 'Problem' : 'Warning'}
                  className={cx(
                    'mt-0.5 shrink-0',
                    problem.level === 'error' ? 'text-bad' : 'text-warn',
                  )}
                />
                <span className="min-w-0 [overflow-wrap:anywhere]">
                  {node && <span className="font-semibold">{titleOf(types, node)}: </span>}
                  {problem.words}
                </span>
              </button>
              <Remedies problem={problem} actions={actions} />
            </li>
          )
        })}
      </ul>
    </>
  )
}
