import { useQuery } from '@tanstack/react-query'
import { FileJson } from 'lucide-react'
import { useState } from 'react'
import type { GraphEstimate, Template } from '#console/api/types.ts'
import { checkGraph, readNodeTypes, readTemplates } from '#console/canvas/calls.ts'
import { needsOf } from '#console/canvas/explain.ts'
import { emptyGraph, readGraph } from '#console/canvas/graph.ts'
import { GraphPreview } from '#console/canvas/graph-preview.tsx'
import { NamedIcon } from '#console/canvas/icons.tsx'
import { type NodeTypes, typeInfo } from '#console/canvas/node-types.ts'
import { locale } from '#console/lib/locale.ts'
import { formatMoney } from '#console/lib/money.ts'
import { Button } from '#console/ui/button.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { TextFilter } from '#console/ui/text-filter.tsx'

type TemplateGalleryProps = {
  /** The template that is being stored. */
  busy: string | null
  onUse(template: Template): void
}

/** Ready-made workflows, found by what they do and by the nodes they have. */
export function TemplateGallery({ busy, onUse }: TemplateGalleryProps) {
  const [search, setSearch] = useState('')
  const query = useQuery({
    queryKey: ['templates', 'with node types'],
    queryFn: async () => ({
      templates: (await readTemplates()).items,
      types: await readNodeTypes(),
    }),
  })
  const { data: estimates } = useEstimates(query.data?.templates)
  return (
    <section aria-label="Templates">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <h2 className="flex items-center gap-2 font-semibold text-lg">
          <FileJson size={18} aria-hidden /> Templates
        </h2>
        <TextFilter label="Search templates" value={search} onChange={setSearch} />
      </div>
      <Loadable query={query} skeleton={<SkeletonRows />}>
        {({ templates, types }) => {
          const found = templates.filter((template) => isFound(template, types, search))
          return (
            <>
              <ul className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
                {found.map((template) => (
                  <li key={template.id} className="flex">
                    <TemplateCard
                      template={template}
                      types={types}
                      estimate={estimates?.get(template.id) ?? null}
                      busy={busy === template.id}
                      onUse={() => onUse(template)}
                    />
                  </li>
                ))}
              </ul>
              <p role="status" className="text-soft">
                {search !== '' && found.length === 0 && 'No template matches.'}
              </p>
            </>
          )
        }}
      </Loadable>
    </section>
  )
}

/** Every word is in its name, its description, its trigger or the names of its nodes. */
function isFound(template: Template, types: NodeTypes, search: string): boolean {
  const { nodes } = readGraph(template.data) ?? emptyGraph
  const said = [
    template.name,
    template.description,
    template.trigger?.kind ?? '',
    template.trigger?.name ?? '',
    ...nodes.map(({ type }) => typeInfo(types, type)?.label ?? ''),
  ]
  const text = said.join(' ').toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
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
