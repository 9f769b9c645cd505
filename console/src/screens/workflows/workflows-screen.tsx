import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Plus, Workflow as WorkflowIcon } from 'lucide-react'
import { consoleCall } from '#console/api/console-api.ts'
import { listDrafts } from '#console/canvas/calls.ts'
import { May } from '#console/shared/may.tsx'
import { WorkflowLinks } from '#console/shared/workflow-links.tsx'
import { Button } from '#console/ui/button.tsx'
import { buttonClass } from '#console/ui/button-class.ts'
import { Empty } from '#console/ui/empty.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Page } from '#console/ui/page.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import type { WorkflowsSearch } from './address.ts'
import { NewDrafts } from './new-drafts.tsx'
import { WorkflowFilters } from './workflow-filters.tsx'
import { WorkflowResults } from './workflow-results.tsx'

const route = getRouteApi('/framed/workflows')

const pageSize = 50

async function readPage(search: WorkflowsSearch, signal: AbortSignal) {
  const query = { ...search, sort: search.sort ?? 'changed', size: pageSize } as const
  const [page, drafts] = await Promise.all([
    consoleCall('GET /workflows', { query, signal }),
    listDrafts(),
  ])
  return { page, drafts: drafts.items }
}

export function WorkflowsScreen() {
  const client = useQueryClient()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery({
    queryKey: ['workflows', 'rows', search],
    queryFn: ({ signal }) => readPage(search, signal),
    // The old rows stay until the new ones are there.
    placeholderData: keepPreviousData,
  })
  const { q, tag, cursor } = search
  const isWhole = q === undefined && tag === undefined && cursor === undefined
  return (
    <>
      <WorkflowLinks />
      <Page
        title="Workflows"
        lead="Steps joined into a graph. Run one here or through the API."
        actions={
          <May need="editor">
            <Link to="/workflows/new" className={buttonClass('primary')}>
              <Plus size={16} aria-hidden />
              New workflow
            </Link>
          </May>
        }
      >
        <Loadable
          query={query}
          skeleton={<SkeletonRows />}
          isEmpty={({ page, drafts }) => isWhole && page.items.length + drafts.length === 0}
          empty={<NoWorkflows />}
        >
          {({ page, drafts }) => (
            <>
              <WorkflowFilters
                search={search}
                onChange={(next) => void navigate({ search: next, replace: true })}
              />
              {isWhole && (
                <NewDrafts
                  drafts={drafts.filter((draft) => draft.workflowId === null)}
                  onChange={() => client.invalidateQueries({ queryKey: ['workflows'] })}
                />
              )}
              {page.items.length > 0 && (
                <WorkflowResults
                  page={page}
                  drafts={drafts}
                  search={search}
                  onNext={(next) =>
                    void navigate({ search: (before) => ({ ...before, cursor: next }) })
                  }
                />
              )}
              {page.items.length === 0 && !isWhole && (
                <Empty
                  title={q ? `Nothing matches “${q}”` : 'Nothing is left here'}
                  action={
                    <Button onClick={() => void navigate({ search: {} })}>Clear search</Button>
                  }
                />
              )}
            </>
          )}
        </Loadable>
      </Page>
    </>
  )
}

function NoWorkflows() {
  return (
    <Empty
      icon={<WorkflowIcon size={24} aria-hidden />}
      title="No workflows yet"
      action={
        <May need="editor">
          <Link to="/workflows/new" className={buttonClass('primary')}>
            Start from a template
          </Link>
        </May>
      }
    >
      A workflow joins text, image and video steps into one run, with an estimate before it starts.
    </Empty>
  )
}
