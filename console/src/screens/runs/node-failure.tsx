import { Link } from '@tanstack/react-router'
import type { RunNodeView } from '#console/api/types.ts'
import { adviceOn, outcomeUnknown } from '#console/canvas/run/failure-advice.ts'
import { rootOf } from '#console/canvas/run/run-state.ts'
import { cx } from '#console/lib/cx.ts'
import { Button } from '#console/ui/button.tsx'
import { buttonClass } from '#console/ui/button-class.ts'
import { Failure } from '#console/ui/failure.tsx'
import { useRun, useRunOnView } from './run-context.ts'

/** The error of a node, with links to the inner rows where it occurred. */
export function NodeFailure({ node, onLook }: { node: RunNodeView; onLook(): void }) {
  const { select } = useRunOnView()
  const workflowId = useRun(({ run }) => run.workflowId)
  const inside = node.children.filter(({ status }) => status === 'FAILED')
  if (!node.error) return null
  return (
    <div className="flex flex-col gap-3">
      <Failure failure={{ message: node.error.message, code: node.error.code }}>
        <p className="mt-1">{adviceOn(node.error)}</p>
      </Failure>
      {node.error.code === outcomeUnknown && (
        <Button size="small" className="self-start" onClick={onLook}>
          Look at the call
        </Button>
      )}
      <Link
        to="/workflows/$workflowId"
        params={{ workflowId: String(workflowId) }}
        search={{ node: rootOf(node.path) }}
        className={cx(buttonClass('secondary', 'small'), 'self-start')}
      >
        Edit this node
      </Link>
      {inside.length > 0 && (
        <div className="flex flex-wrap items-center gap-2">
          <span className="text-soft text-sm">The failure is inside:</span>
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
