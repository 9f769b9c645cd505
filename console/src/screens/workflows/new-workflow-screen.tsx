import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import type { Template } from '#console/api/types.ts'
import { createWorkflow, putDraft } from '#console/canvas/calls.ts'
import { docsIn } from '#console/canvas/file-io.ts'
import { emptyGraph, type Graph, readGraph } from '#console/canvas/graph.ts'
import { useTrail } from '#console/lib/breadcrumb.ts'
import { newId } from '#console/lib/ids.ts'
import { Banner } from '#console/ui/banner.tsx'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { DropZone } from '#console/ui/drop-zone.tsx'
import { Page } from '#console/ui/page.tsx'
import { TemplateGallery } from './template-gallery.tsx'

const untitled = 'Untitled workflow'

/** Three ways to start: blank, from a template, or from an exported workflow. */
export function NewWorkflowScreen() {
  useTrail('New')
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
      <TemplateGallery
        busy={busy}
        onUse={(template) =>
          void attempt(
            template.id,
            () => storeTemplate(template),
            // What it is usually started by is offered there.
            template.trigger ? { panel: 'triggers' } : {},
          )
        }
      />
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
