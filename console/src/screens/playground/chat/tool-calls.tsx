import { Wrench } from 'lucide-react'
import { useKept } from '#console/lib/use-kept.ts'
import { Button } from '#console/ui/button.tsx'
import { Field } from '#console/ui/field.tsx'
import { JsonTree } from '#console/ui/json-tree.tsx'
import { TextArea } from '#console/ui/text-area.tsx'
import type { ToolCall, ToolResults } from './turn-tree.ts'

type ToolCallsProps = {
  calls: readonly ToolCall[]
  answerId: string
  /** It waits for the results. */
  isOpen: boolean
  onSend(results: ToolResults['results']): void
}

/** Nothing is executed here: the person says what each tool would have answered. */
export function ToolCalls({ calls, answerId, isOpen, onSend }: ToolCallsProps) {
  const [results, setResults] = useKept<Record<string, string>>(`results.${answerId}`, {})
  const isComplete = calls.every(({ id }) => (results[id] ?? '').trim() !== '')
  return (
    <div className="flex flex-col gap-2">
      {calls.map((call) => (
        <details key={call.id} className="rounded-md border border-line px-3 py-2" open={isOpen}>
          <summary className="text-sm">
            <Wrench size={14} className="mr-2 inline text-soft" aria-hidden />
            Calls <code>{call.name}</code>
          </summary>
          <div className="flex flex-col gap-3 pt-2">
            <JsonTree value={parsed(call.arguments)} openDepth={2} />
            {isOpen && (
              <Field label="Result" hint="What the tool would answer. Nothing is executed here.">
                {(control) => (
                  <TextArea
                    {...control}
                    rows={2}
                    className="font-mono text-sm"
                    value={results[call.id] ?? ''}
                    onChange={({ target }) => setResults({ ...results, [call.id]: target.value })}
                  />
                )}
              </Field>
            )}
          </div>
        </details>
      ))}
      {isOpen && (
        <Button
          size="small"
          className="self-start"
          disabled={!isComplete}
          onClick={() => {
            onSend(calls.map(({ id }) => ({ callId: id, text: results[id] ?? '' })))
            setResults({})
          }}
        >
          {calls.length === 1 ? 'Send the result' : 'Send the results'}
        </Button>
      )}
    </div>
  )
}

/** While they arrive, and if the model wrote nonsense, arguments are no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
