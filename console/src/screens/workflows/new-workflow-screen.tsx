import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { FileJson, Plus } from 'lucide-react'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import type { GraphEstimate, Template } from '#console/api/types.ts'
import {
  checkGraph,
  createWorkflow,
  putDraft,
  readNodeTypes,
  readTemplates,
} from '#console/canvas/calls.ts'
import { needsOf } from '#console/canvas/explain.ts'
import { docsIn } from '#console/canvas/file-io.ts'
import { emptyGraph, type Graph, readGraph } from '#console/canvas/graph.ts'
import { GraphPreview } from '#console/canvas/graph-preview.tsx'
import { NamedIcon } from '#console/canvas/icons.tsx'
import type { NodeTypes } from '#console/canvas/node-types.ts'
import { useTrail } from '#console/lib/breadcrumb.ts'
import { newId } from '#console/lib/ids.ts'
import { locale } from '#console/lib/locale.ts'
import { formatMoney } from '#console/lib/money.ts'
import { Banner } from '#console/ui/banner.tsx'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { DropZone } from '#console/ui/drop-zone.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Page } from '#console/ui/page.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'

const untitled = 'Untitled workflow'

/** Three ways to start: blank, from a template, or from an exported workflow. */
export function NewWorkflowScreen() {
  useTrail('New')
  const query = useQuery({
    queryKey: ['templates', 'with node types'],
    queryFn: async () => ({
      templates: (await readTemplates()).items,
      types: await readNodeTypes(),
    }),
  })
  const { data: estimates } = useEstimates(query.data?.templates)
  const { problem, setProblem, busy, attempt } = useAttempt()
  const importText = (text: string) => {
    const docs = docsIn(text)
    if (typeof docs === 'string') return setProblem(docs)
    void attempt('import', async () => {
      const ids: string[] = []
      for (const { name, graph } of docs) ids.push(await storeDraft(name ?? untitled, graph))
      const [only] = ids
      return ids.length === 1 && only ? only : null
    })
  }
  return (
    <Page title="New workflow" lead="Start blank, from a template, or from a file.">
      {problem && <Banner tone="bad" role="alert" title={problem} />}
      <div className="grid gap-4 md:grid-cols-2">
        <Card title="Blank">
          <p className="mb-3 text-soft">An empty canvas. A draft is saved while you build.</p>
          <Button
            variant="primary"
            icon={<Plus size={16} aria-hidden />}
            busy={busy === 'blank'}
            onClick={() => void attempt('blank', () => storeDraft(untitled, emptyGraph))}
          >
            Blank workflow
          </Button>
        </Card>
        <Card title="Import">
          <div
            onPaste={(event) => {
              const text = event.clipboardData.getData('text/plain')
              if (text) importText(text)
            }}
          >
            <DropZone
              label="Import a workflow"
              accept=".json,application/json"
              hint="Choose or drop a JSON file, or paste JSON here"
              onFiles={async ([file]) => file && importText(await file.text())}
              onRefused={([name]) => setProblem(`${name} is not a JSON file.`)}
            />
          </div>
        </Card>
      </div>
      <section aria-label="Templates">
        <h2 className="mb-3 flex items-center gap-2 font-semibold text-lg">
          <FileJson size={18} aria-hidden /> Templates
        </h2>
        <Loadable query={query} skeleton={<SkeletonRows />}>
          {({ templates, types }) => (
            <ul className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
              {templates.map((template) => (
                <li key={template.id} className="flex">
                  <TemplateCard
                    template={template}
                    types={types}
                    estimate={estimates?.get(template.id) ?? null}
                    busy={busy === template.id}
                    onUse={() =>
                      void attempt(
                        template.id,
                        () => storeTemplate(template),
                        // What it is usually started by is offered there.
                        template.trigger ? { panel: 'triggers' } : {},
                      )
                    }
                  />
                </li>
              ))}
            </ul>
          )}
        </Loadable>
      </section>
    </Page>
  )
}

/** Opens the workflow or draft that was made, or the list if there are several. */
function useAttempt() {
  const navigate = useNavigate()
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState<string | null>(null)
  const attempt = async (
    name: string,
    act: () => Promise<string | null>,
    search: { panel?: 'triggers' } = {},
  ) => {
    setBusy(name)
    setProblem(null)
    try {
      const workflowId = await act()
      if (workflowId === null) await navigate({ to: '/workflows' })
      else await navigate({ to: '/workflows/$workflowId', params: { workflowId }, search })
    } catch (error) {
      setProblem(toApiFailure(error).message)
    }
    setBusy(null)
  }
  return { problem, setProblem, busy, attempt }
}

async function storeTemplate({ name, data }: Template): Promise<string> {
  const { id } = await createWorkflow({ name, graph: readGraph(data) ?? emptyGraph })
  return String(id)
}

/** A draft accepts any graph, even one that is not valid yet. */
async function storeDraft(name: string, graph: Graph): Promise<string> {
  const id = newId()
  await putDraft(id, { name, data: graph }, { 'if-none-match': '*' })
  return id
}

/** One after the other: all at once would keep a small server from doing anything else. */
const useEstimates = (templates: readonly Template[] | undefined) =>
  useQuery({
    queryKey: ['template estimates', templates?.map(({ id }) => id)],
    enabled: templates !== undefined,
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const estimates = new Map<string, GraphEstimate | null>()
      for (const { id, data, sampleInputs } of templates ?? []) {
        const graph = readGraph(data) ?? emptyGraph
        const checked = checkGraph({ data: graph, inputs: sampleInputs }, signal)
        estimates.set(id, (await checked.catch(() => null))?.estimate ?? null)
      }
      return estimates
    },
  })

/** What opens beside the graph of a template that usually starts by itself. */
const nextStep = { SCHEDULE: 'its schedule', WEBHOOK: 'its webhook' } as const

type TemplateCardProps = {
  template: Template
  types: NodeTypes
  estimate: GraphEstimate | null
  busy: boolean
  onUse(): void
}

function TemplateCard({ template, types, estimate, busy, onUse }: TemplateCardProps) {
  const graph = readGraph(template.data) ?? emptyGraph
  const needs = needsOf(graph)
  return (
    <article className="flex w-full min-w-0 flex-col overflow-hidden rounded-md border border-line bg-card">
      <GraphPreview
        graph={graph}
        types={types}
        className="h-36 w-full border-line border-b bg-paper p-3"
      />
      <div className="flex grow flex-col gap-2 p-4">
        <h3 className="flex items-center gap-2 font-semibold">
          <NamedIcon name={template.icon} />
          {template.name}
        </h3>
        <p className="text-soft text-sm">{template.description}</p>
        {needs.length > 0 && <p className="text-sm">Needs {needs.join(', ')}.</p>}
        {template.trigger && (
          <p className="text-sm">
            Next step: {nextStep[template.trigger.kind]}, “{template.trigger.name}”.
          </p>
        )}
        <details className="text-sm">
          <summary className="text-soft">Sample inputs</summary>
          <dl className="mt-1 flex flex-col gap-1">
            {Object.entries(template.sampleInputs).map(([name, value]) => (
              <div key={name} className="min-w-0">
                <dt className="text-soft text-xs">{name}</dt>
                <dd className="line-clamp-3 [overflow-wrap:anywhere]">
                  {typeof value === 'string' ? value : JSON.stringify(value)}
                </dd>
              </div>
            ))}
          </dl>
        </details>
        <div className="mt-auto flex items-center justify-between gap-2 pt-2">
          <span className="text-soft text-sm">
            {graph.nodes.length} nodes
            {estimate &&
              (estimate.estimatedCost === 0
                ? ' · free'
                : ` · about ${formatMoney(estimate.estimatedCost, estimate.currency, locale)}`)}
          </span>
          <Button size="small" busy={busy} onClick={onUse} aria-label={`Use ${template.name}`}>
            Use
          </Button>
        </div>
      </div>
    </article>
  )
}
