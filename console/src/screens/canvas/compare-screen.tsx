import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { listVersions, readNodeTypes, readVersion, readWorkflow } from '#console/canvas/calls.ts'
import { diffGraphs } from '#console/canvas/diff.ts'
import { DiffView } from '#console/canvas/diff-view.tsx'
import { emptyGraph, readGraph } from '#console/canvas/graph.ts'
import { GraphPreview } from '#console/canvas/graph-preview.tsx'
import { useTrail } from '#console/lib/breadcrumb.ts'
import { buttonClass } from '#console/ui/button-class.ts'
import { Field } from '#console/ui/field.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Page } from '#console/ui/page.tsx'
import { Select } from '#console/ui/select.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'

const route = getRouteApi('/framed/workflows/$workflowId/compare')

/** Two versions side by side, and their differences. */
export function CompareScreen() {
  const workflowId = Number(route.useParams().workflowId)
  const { from, to } = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery({
    queryKey: ['compare', workflowId, from, to],
    queryFn: () => load(workflowId, from, to),
  })
  useTrail(query.data?.name, 'Compare')
  return (
    <Page
      title="Compare versions"
      actions={
        <Link
          to="/workflows/$workflowId"
          params={{ workflowId: String(workflowId) }}
          search={{ panel: 'versions' }}
          className={buttonClass('secondary')}
        >
          Back to the workflow
        </Link>
      }
    >
      <Loadable query={query} skeleton={<SkeletonRows />}>
        {({ versions, left, right, types }) => {
          const options = versions.map(({ version, note }) => ({
            value: String(version),
            label: `Version ${version}`,
            ...(note ? { note: note.slice(0, 40) } : {}),
          }))
          const diff = diffGraphs(left.graph, right.graph)
          const marks = new Map(diff.nodes.map(({ nodeId, kind }) => [nodeId, kind]))
          return (
            <div className="grid gap-6 lg:grid-cols-2">
              {[left, right].map((side, index) => {
                const key = index === 0 ? 'from' : 'to'
                return (
                  <section key={key} className="flex min-w-0 flex-col gap-3">
                    <Field label={index === 0 ? 'From' : 'To'}>
                      {(control) => (
                        <Select
                          {...control}
                          options={options}
                          value={String(side.version)}
                          onChange={(value) =>
                            void navigate({
                              search: (old) => ({ ...old, [key]: Number(value) }),
                              replace: true,
                            })
                          }
                        />
                      )}
                    </Field>
                    <GraphPreview
                      graph={side.graph}
                      types={types}
                      marks={marks}
                      className="max-h-96 w-full rounded-md border border-line bg-paper"
                    />
                  </section>
                )
              })}
              <section className="min-w-0 lg:col-span-2" aria-label="Differences">
                <DiffView diff={diff} types={types} />
              </section>
            </div>
          )
        }}
      </Loadable>
    </Page>
  )
}

async function load(workflowId: number, from: number | undefined, to: number | undefined) {
  const [workflow, types, { items: versions }] = await Promise.all([
    readWorkflow(workflowId),
    readNodeTypes(),
    listVersions(workflowId),
  ])
  const newest = versions[0]?.version ?? workflow.version
  const side = async (version: number) => {
    const { data } = await readVersion(workflowId, version)
    return { version, graph: readGraph(data) ?? emptyGraph }
  }
  const [left, right] = await Promise.all([
    side(from ?? versions[1]?.version ?? newest),
    side(to ?? newest),
  ])
  return { name: workflow.name, types, versions, left, right }
}
