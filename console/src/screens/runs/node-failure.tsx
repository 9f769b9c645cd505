import type { RunNodeView } from '#console/api/types.ts'
import { Button } from '#console/ui/button.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { useRunOnView } from './run-context.ts'

/** The error of a node; where it came from inside, the way there. */
export function NodeFailure({ node }: { node: RunNodeView }) {
  const { select } = useRunOnView()
  const inside = node.children.filter(({ status }) => status === 'FAILED')
  if (!node.error) return null
  return (
    <div className="flex flex-col gap-3">
      <Failure failure={{ message: node.error.message, code: node.error.code }}>
        <p className="mt-1">
          {node.error.retryable
            ? 'The same may work later: retry the run.'
            : 'The same would fail again: change what it was given, or the node.'}
        </p>
      </Failure>
      {inside.length > 0 && (
        <div className="flex flex-wrap items-center gap-2">
          <span className="text-soft text-sm">It failed inside:</span>
          {inside.slice(0, 10).map(({ path }) => (
            <Button key={path} size="small" onClick={() => select(path)}>
              {path.slice(node.path.length).replace(/^\//, '')}
            </Button>
          ))}
        </div>
      )}
    </div>
  )
}
