import { GitBranch, RotateCw } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { locale } from '#console/lib/locale.ts'
import { formatMoney } from '#console/lib/money.ts'
import { formatDuration } from '#console/lib/time.ts'
import { Button } from '#console/ui/button.tsx'
import { Copy } from '#console/ui/copy.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { Markdown } from '#console/ui/markdown/markdown.tsx'
import { SiblingSteps, type Steps } from './sibling-steps.tsx'
import { ToolCalls } from './tool-calls.tsx'
import type { Answer, AnswerEnd, ToolResults } from './turn-tree.ts'

// Only those who ask for a schema need what checks it.
const JsonAnswer = lazy(async () => ({ default: (await import('./json-answer.tsx')).JsonAnswer }))

type AnswerViewProps = {
  turn: Answer
  steps: Steps
  isArriving: boolean
  isLast: boolean
  onAgain(): void
  onBranch(): void
  onResults(results: ToolResults['results']): void
}

export function AnswerView(props: AnswerViewProps) {
  const { turn, steps, isArriving, isLast, onAgain, onBranch, onResults } = props
  const { end, text, reasoning, toolCalls, schema } = turn
  return (
    <article className="flex min-w-0 flex-col gap-3">
      <h2 className="sr-only">Answer of {end?.model ?? turn.model}</h2>
      {reasoning && (
        <details className="rounded-md border border-line px-3 py-2">
          <summary className="text-soft text-sm">Reasoning</summary>
          <p className="whitespace-pre-wrap pt-2 text-soft text-sm [overflow-wrap:anywhere]">
            {reasoning}
          </p>
        </details>
      )}
      {schema !== undefined && end && text ? (
        <Suspense fallback={<Markdown text={text} />}>
          <JsonAnswer text={text} schema={schema} />
        </Suspense>
      ) : (
        <Markdown text={text} />
      )}
      {toolCalls.length > 0 && (
        <ToolCalls
          calls={toolCalls}
          answerId={turn.id}
          isOpen={!!end && isLast}
          onSend={onResults}
        />
      )}
      {!end && (
        <span className="animate-pulse text-soft text-sm">
          {isArriving ? 'Answering…' : 'Answering in another tab…'}
        </span>
      )}
      {end && <Problem end={end} onAgain={onAgain} />}
      {end && (
        <p className="-ml-1 flex flex-wrap items-center gap-x-1 text-soft text-xs">
          {text && <Copy text={text} label="Copy the answer" />}
          <IconButton
            label="Answer again"
            icon={<RotateCw size={14} aria-hidden />}
            onClick={() => onAgain()}
          />
          <IconButton
            label="Branch: a new chat from here"
            icon={<GitBranch size={14} aria-hidden />}
            onClick={onBranch}
          />
          <SiblingSteps {...steps} />
          <span className="ml-1">{factsOf(end)}</span>
        </p>
      )}
      {end?.attempts && <p className="text-soft text-xs">{askedText(end.attempts)}</p>}
    </article>
  )
}

const reasons: Record<string, string> = {
  connect: 'not reached',
  rate_limit: 'busy',
  unavailable: 'not available',
  context: 'too long for it',
  content: 'refused the content',
  timeout: 'too slow',
}

/** "Asked demo-code (busy), then demo-text" */
const askedText = (attempts: NonNullable<AnswerEnd['attempts']>): string =>
  `Asked ${attempts
    .map(({ model, outcome, deployment }) => {
      const whom = deployment === undefined ? model : `${model} with ${deployment}`
      return reasons[outcome] ? `${whom} (${reasons[outcome]})` : whom
    })
    .join(', then ')}`

const count = new Intl.NumberFormat(locale)

/** "demo-chat · 25 tokens in · 210 out · $0.0001 · 1.2 s"; of a stopped one what is known. */
function factsOf(end: AnswerEnd): string {
  const { inputTokens, outputTokens } = end
  const cost = end.cost !== null && formatMoney(end.cost, 'USD', locale)
  if (end.how === 'stopped') {
    const tokens =
      inputTokens !== null &&
      outputTokens !== null &&
      `${count.format(inputTokens)} in, ${count.format(outputTokens)} out`
    return ['Stopped', tokens, cost].filter(Boolean).join(' · ')
  }
  return [
    end.model,
    inputTokens !== null && `${count.format(inputTokens)} tokens in`,
    outputTokens !== null && `${count.format(outputTokens)} out`,
    cost,
    end.ms > 0 && formatDuration(end.ms),
  ]
    .filter(Boolean)
    .join(' · ')
}

function Problem({ end, onAgain }: { end: AnswerEnd; onAgain(): void }) {
  if (end.finishReason === 'length')
    return <p className="text-sm text-warn">Cut off: the token limit was reached.</p>
  if (end.how === undefined || end.how === 'stopped') return null
  return (
    <p className="flex flex-wrap items-center gap-2 text-bad text-sm">
      {end.problem}
      <Button size="small" onClick={onAgain}>
        {end.how === 'failed' ? 'Retry' : 'Ask again'}
      </Button>
    </p>
  )
}
