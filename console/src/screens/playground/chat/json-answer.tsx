import { CircleAlert, CircleCheck } from 'lucide-react'
import { useMemo } from 'react'
import { Code } from '#console/ui/code.tsx'
import { JsonTree } from '#console/ui/json-tree.tsx'
import { fitOf } from './fits-schema.ts'

type JsonAnswerProps = { text: string; schema: unknown }

/** An answer in JSON, and whether it fits the schema that was asked for. */
export function JsonAnswer({ text, schema }: JsonAnswerProps) {
  const fit = useMemo(() => fitOf(text, schema), [text, schema])
  if (fit.kind === 'not JSON')
    return (
      <>
        <Code label="answer" text={text} wrap />
        <Misfit title="Not JSON" problems={[fit.problem]} />
      </>
    )
  return (
    <>
      <JsonTree value={fit.value} openDepth={3} />
      {fit.kind === 'fits' ? (
        <p className="flex items-center gap-2 text-good text-sm">
          <CircleCheck size={16} aria-hidden />
          Fits the schema
        </p>
      ) : (
        <Misfit title="Does not fit the schema" problems={fit.problems} />
      )}
    </>
  )
}

const Misfit = ({ title, problems }: { title: string; problems: readonly string[] }) => (
  <div className="flex items-start gap-2 text-bad text-sm">
    <CircleAlert size={16} className="mt-0.5 shrink-0" aria-hidden />
    <div className="min-w-0 [overflow-wrap:anywhere]">
      <p>{title}</p>
      <ul>
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </div>
  </div>
)
