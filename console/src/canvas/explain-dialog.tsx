import { Dialog } from '#console/ui/dialog.tsx'
import { useGraph, useView } from './context.ts'
import { explainGraph } from './explain.ts'
import { graphElement } from './graph-element.ts'

/** The graph in words, step by step. */
export function ExplainDialog({ onClose }: { onClose(): void }) {
  const graph = useGraph()
  const types = useView((state) => state.types)
  const { needs, steps } = explainGraph(graph, types)
  return (
    <Dialog
      open
      onClose={onClose}
      title="What this workflow does"
      size="medium"
      isText
      finalFocus={graphElement}
      {...(needs.length > 0 ? { description: `It needs ${needs.join(', ')}.` } : {})}
    >
      {steps.length === 0 ? (
        <p className="text-soft">Nothing yet: the graph is empty.</p>
      ) : (
        <ol className="flex list-decimal flex-col gap-2 pl-6">
          {steps.map(({ id, title, text }) => (
            <li key={id} className="[overflow-wrap:anywhere]">
              <strong className="font-semibold">{title}.</strong> {text}
            </li>
          ))}
        </ol>
      )}
    </Dialog>
  )
}
