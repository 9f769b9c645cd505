import { CodeDialog } from '#console/shared/code-dialog.tsx'
import { runAsCurl } from '#console/shared/run-as-code.ts'
import { useBase, useGraph } from './context.ts'
import { exampleInputs } from './example-inputs.ts'

/** The command that runs this workflow from elsewhere. */
export function CallDialog({ onClose }: { onClose(): void }) {
  const { workflowId } = useBase()
  const graph = useGraph()
  if (workflowId === null) return null
  const text = runAsCurl(location.origin, workflowId, exampleInputs(graph))
  return <CodeDialog text={text} name="curl" title="Call from a terminal" onClose={onClose} />
}
