import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { VersionSummary } from '#console/api/types.ts'
import { counted } from '#console/lib/counted.ts'
import { BesidePanel } from '#console/ui/beside-panel.tsx'
import { Button } from '#console/ui/button.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { When } from '#console/ui/when.tsx'
import { listVersions, noteVersion, readVersion } from './calls.ts'
import { useGraph, useReadOnly, useView } from './context.ts'
import { diffGraphs } from './diff.ts'
import { DiffView } from './diff-view.tsx'
import { emptyGraph, type Graph, readGraph } from './graph.ts'
import { GraphPreview } from './graph-preview.tsx'

type VersionsPanelProps = {
  workflowId: number
  current: number
  onRestore(version: number, graph: Graph): Promise<void>
  onClose(): void
}

/**
 * Every stored version: author, time, note, how it differs from the open graph, and a way back to
 * it.
 */
export function VersionsPanel({ workflowId, current, onRestore, onClose }: VersionsPanelProps) {
  const query = useQuery({
    queryKey: ['versions', workflowId, current],
    queryFn: () => listVersions(workflowId),
  })
  const [open, setOpen] = useState<number | null>(null)
  return (
    <BesidePanel title="Versions" onClose={onClose}>
      <div className="px-4 pb-6">
        <Loadable query={query} skeleton={<SkeletonRows />}>
          {({ items }) => (
            <ol className="flex flex-col">
              {items.map((version) => (
                <li key={version.version} className="border-line border-t py-2">
                  <VersionHead
                    version={version}
                    isCurrent={version.version === items[0]?.version}
                    isOpen={open === version.version}
                    onToggle={() => setOpen(open === version.version ? null : version.version)}
                  />
                  {open === version.version && (
                    <VersionDetail
                      workflowId={workflowId}
                      version={version}
                      isCurrent={version.version === items[0]?.version}
                      onRestore={onRestore}
                    />
                  )}
                </li>
              ))}
            </ol>
          )}
        </Loadable>
      </div>
    </BesidePanel>
  )
}

type HeadProps = { version: VersionSummary; isCurrent: boolean; isOpen: boolean; onToggle(): void }

function VersionHead({ version, isCurrent, isOpen, onToggle }: HeadProps) {
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={onToggle}
      className="flex w-full flex-col items-start rounded-sm px-2 py-1 text-left hover:bg-sunken"
    >
      <span className="flex w-full items-baseline gap-2">
        <span className="font-semibold">Version {version.version}</span>
        {isCurrent && <span className="text-good text-xs">current</span>}
        <span className="ml-auto text-soft text-xs">
          <When at={version.createdAt} />
        </span>
      </span>
      <span className="text-soft text-xs">
        {version.author?.name ?? 'unknown'} · {counted(version.nodeCount, 'node')} ·{' '}
        {counted(version.runs, 'run')}
      </span>
      {version.note && <span className="text-sm">{version.note}</span>}
    </button>
  )
}

type DetailProps = Pick<VersionsPanelProps, 'workflowId' | 'onRestore'> & {
  version: VersionSummary
  isCurrent: boolean
}

function VersionDetail({ workflowId, version, isCurrent, onRestore }: DetailProps) {
  const query = useQuery({
    queryKey: ['version', workflowId, version.version],
    queryFn: () => readVersion(workflowId, version.version),
  })
  const types = useView((state) => state.types)
  const now = useGraph()
  const isReadOnly = useReadOnly()
  const [isBusy, setBusy] = useState(false)
  return (
    <div className="flex flex-col gap-3 px-2 pt-2">
      {!isReadOnly && <Note workflowId={workflowId} version={version} />}
      <Loadable query={query} skeleton={<SkeletonRows rows={2} />}>
        {({ data }) => {
          const graph = readGraph(data) ?? emptyGraph
          return (
            <>
              <GraphPreview
                graph={graph}
                types={types}
                className="max-h-48 w-full rounded-sm bg-paper"
              />
              <h3 className="text-soft text-xs">Changes from this version to the open graph</h3>
              <DiffView diff={diffGraphs(graph, now)} types={types} />
              <div className="flex flex-wrap gap-2">
                {!isCurrent && !isReadOnly && (
                  <Button
                    size="small"
                    busy={isBusy}
                    onClick={async () => {
                      setBusy(true)
                      await onRestore(version.version, graph)
                      setBusy(false)
                    }}
                  >
                    Restore
                  </Button>
                )}
                <Link
                  to="/workflows/$workflowId/compare"
                  params={{ workflowId: String(workflowId) }}
                  search={{ from: version.version }}
                  className="self-center text-accent text-sm hover:underline"
                >
                  Compare side by side
                </Link>
              </div>
            </>
          )
        }}
      </Loadable>
    </div>
  )
}

function Note({ workflowId, version }: { workflowId: number; version: VersionSummary }) {
  const client = useQueryClient()
  const [note, setNote] = useState(version.note ?? '')
  const store = async () => {
    if (note === (version.note ?? '')) return
    await noteVersion(workflowId, version.version, note.trim() || null)
    await client.invalidateQueries({ queryKey: ['versions', workflowId] })
  }
  return (
    <TextInput
      aria-label={`Note on version ${version.version}`}
      placeholder="Add a note"
      maxLength={500}
      value={note}
      onChange={(event) => setNote(event.currentTarget.value)}
      onBlur={store}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur()
      }}
    />
  )
}
