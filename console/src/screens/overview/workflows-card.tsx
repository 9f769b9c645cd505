import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { publicCall } from '#console/api/public-api.ts'
import type { WorkflowPage } from '#console/api/types.ts'
import { May } from '#console/shared/may.tsx'
import { buttonClass } from '#console/ui/button-class.ts'
import { Card } from '#console/ui/card.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { RowLink } from './row-link.tsx'

export function WorkflowsCard() {
  const query = useQuery({
    queryKey: ['workflows', 'recent'],
    queryFn: async ({ signal }) =>
      (await publicCall<WorkflowPage>('/workflows', { query: { size: 5 }, signal })).items,
  })
  return (
    <Card
      title="Workflows"
      actions={
        <May need="editor">
          <Link to="/workflows/new" className={buttonClass('secondary', 'small')}>
            New workflow
          </Link>
        </May>
      }
    >
      <Loadable
        query={query}
        skeleton={<SkeletonRows rows={3} />}
        isEmpty={(items) => items.length === 0}
        empty={<p className="text-soft">None yet. Start with a template.</p>}
      >
        {(items) => (
          <ul>
            {items.map((item) => (
              <RowLink
                key={item.id}
                to="/workflows/$workflowId"
                params={{ workflowId: String(item.id) }}
                name={item.name}
                at={item.updatedAt}
              >
                <span className="text-soft text-sm">{item.nodeCount} nodes</span>
              </RowLink>
            ))}
          </ul>
        )}
      </Loadable>
    </Card>
  )
}
