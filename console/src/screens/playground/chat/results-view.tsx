import { Code } from '#console/ui/code.tsx'
import type { ToolResults } from './turn-tree.ts'

export const ResultsView = ({ turn }: { turn: ToolResults }) => (
  <details className="rounded-md border border-line px-3 py-2">
    <summary className="text-soft text-sm">
      {turn.results.length === 1 ? 'Result of the tool' : `${turn.results.length} results of tools`}
    </summary>
    <div className="flex flex-col gap-2 pt-2">
      {turn.results.map(({ callId, text }) => (
        <Code key={callId} label="result" text={text} wrap />
      ))}
    </div>
  </details>
)
