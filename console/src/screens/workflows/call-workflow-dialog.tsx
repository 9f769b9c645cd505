import { useQuery } from '@tanstack/react-query'
import { toApiFailure } from '#console/api/api-failure.ts'
import type { ListedWorkflow } from '#console/api/types.ts'
import { readWorkflow } from '#console/canvas/calls.ts'
import { exampleInputs } from '#console/canvas/example-inputs.ts'
import { readGraph } from '#console/canvas/graph.ts'
import { CodeDialog } from '#console/shared/code-dialog.tsx'
import { runAsCurl } from '#console/shared/run-as-code.ts'
import { Failure } from '#console/ui/failure.tsx'

type CallWorkflowDialogProps = { workflow: ListedWorkflow; onClose(): void }

/** The command that runs the saved version of a workflow from elsewhere. */
export function CallWorkflowDialog({ workflow: { id, name }, onClose }: CallWorkflowDialogProps) {
  const { data, error } = useQuery({
    queryKey: ['workflow', id, 'to call'],
    queryFn: () => readWorkflow(id),
  })
  if (error) return <Failure failure={toApiFailure(error)} />
  const graph = data && readGraph(data.data)
  if (!graph) return null
  const text = runAsCurl(location.origin, id, exampleInputs(graph))
  return (
    <CodeDialog text={text} name="curl" title={`Call ${name} from a terminal`} onClose={onClose} />
  )
}
