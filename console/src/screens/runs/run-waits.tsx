import { Link } from '@tanstack/react-router'
import { Hand } from 'lucide-react'
import type { ShownWait } from '#console/api/types.ts'
import { locale } from '#console/lib/locale.ts'
import { fullTime } from '#console/lib/time.ts'
import { clockTime, verbOf, whoOf } from '#console/shared/answer-words.ts'
import { waitWords } from '#console/shared/wait-words.ts'
import { Banner } from '#console/ui/banner.tsx'
import { Card } from '#console/ui/card.tsx'
import { When } from '#console/ui/when.tsx'
import { useRun } from './run-context.ts'
import { useNodeNames } from './use-node-names.ts'

/** What the run waits for comes first, like a failure. */
export function OpenWaits() {
  const waits = useRun((state) => state.waits)
  const nameOf = useNodeNames()
  const open = waits.filter(({ status }) => status === 'OPEN')
  if (open.length === 0) return null
  return (
    <>
      {open.slice(0, 5).map((wait) => (
        <Banner
          key={wait.waitId}
          tone="warn"
          role="status"
          title={openTitle(wait, nameOf(wait.nodeId))}
          actions={wait.kind === 'APPROVAL' && <AnswerLink wait={wait} />}
        >
          {wait.kind === 'DELAY' ? 'Goes on ' : 'Expires '}
          <When at={wait.expiresAt} />, {fullTime(Date.parse(wait.expiresAt), locale)}
        </Banner>
      ))}
      {open.length > 5 && <p className="text-soft text-sm">and {open.length - 5} more</p>}
    </>
  )
}

/** Steps whose calls are held up: by their provider, a limit, or a failed attempt. */
export function DelayedSteps() {
  const nodes = useRun((state) => state.nodes)
  const nameOf = useNodeNames()
  const delayed = Object.values(nodes).flatMap(({ nodeId, waitReason }) =>
    waitReason ? [{ nodeId, waitReason }] : [],
  )
  return delayed.slice(0, 5).map(({ nodeId, waitReason }) => (
    <Banner
      key={nodeId}
      tone="info"
      role="status"
      title={`${nameOf(nodeId)}: ${waitWords(waitReason)}`}
    >
      {waitReason.until ? (
        <>
          Goes on by itself <When at={waitReason.until} />
        </>
      ) : (
        <>
          Since <When at={waitReason.since} />
        </>
      )}
    </Banner>
  ))
}

function openTitle({ kind, title, since, path }: ShownWait, name: string): string {
  const where = path.includes('[') || path.includes('/') ? `${name} (${path})` : name
  const at = clockTime(since)
  if (kind === 'APPROVAL') return `Waiting for approval since ${at}: ${title || where}`
  return kind === 'DELAY'
    ? `${where} waits since ${at}`
    : `${where} waits for a message since ${at}`
}

function AnswerLink({ wait }: { wait: ShownWait }) {
  const runId = useRun(({ run }) => run.runId)
  return (
    <Link
      to="/inbox"
      search={{ run: runId, wait: wait.waitId }}
      className="inline-flex items-center gap-1.5 font-semibold text-accent underline underline-offset-2"
    >
      <Hand size={14} aria-hidden /> Answer
    </Link>
  )
}

/** Who decided, when, and what they said. */
export function AnsweredWaits() {
  const waits = useRun((state) => state.waits)
  const nameOf = useNodeNames()
  const closed = waits.filter(({ status, kind }) => status !== 'OPEN' && kind !== 'DELAY')
  if (closed.length === 0) return null
  return (
    <Card title="Answers">
      <ul className="flex flex-col gap-3">
        {closed.map((wait) => (
          <li key={wait.waitId} className="flex flex-col gap-0.5 [overflow-wrap:anywhere]">
            <span>
              <span className="font-semibold">{wait.title || nameOf(wait.nodeId)}</span>
              {': '}
              {closedText(wait)} {wait.answer && <When at={wait.answer.at} />}
            </span>
            {wait.answer?.comment && (
              <q className="whitespace-pre-wrap text-soft">{wait.answer.comment}</q>
            )}
            {wait.answer?.from && wait.answer.by.kind === 'link' && (
              <span className="text-soft text-sm">From {wait.answer.from}</span>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function closedText({ status, answer }: ShownWait): string {
  if (answer) return `${whoOf(answer)} ${verbOf(answer)} this`
  return status === 'EXPIRED' ? 'nobody answered in time' : 'closed with the run'
}
