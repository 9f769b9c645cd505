import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Workflow } from 'lucide-react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import { newId } from '#console/lib/ids.ts'
import { Button } from '#console/ui/button.tsx'
import { FieldProblem } from '#console/ui/field-problem.tsx'
import { asGraph, type CreativeKind, type CreativeRequest } from './creative.ts'

/** Opens the same request in the canvas, as a draft: nothing is saved until the person saves. */
export function MakeWorkflow({ kind, request }: { kind: CreativeKind; request: CreativeRequest }) {
  const navigate = useNavigate()
  const make = useMutation({
    mutationFn: async () => {
      const draftId = newId()
      await consoleCall('PUT /drafts/{draftId}', {
        params: { draftId },
        body: { name: nameOf(request.prompt), data: asGraph(kind, request) },
        headers: { 'if-none-match': '*' },
      })
      return draftId
    },
    onSuccess: (draftId) =>
      void navigate({ to: '/workflows/$workflowId', params: { workflowId: draftId } }),
  })
  return (
    <>
      <Button
        icon={<Workflow size={16} aria-hidden />}
        busy={make.isPending}
        onClick={() => make.mutate()}
      >
        Make a workflow
      </Button>
      {make.error && <FieldProblem id="make-workflow" text={toApiFailure(make.error).message} />}
    </>
  )
}

const nameOf = (prompt: string): string =>
  prompt.trim().slice(0, 60).trim() || 'From the playground'
