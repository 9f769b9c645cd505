import { Link } from '@tanstack/react-router'
import { consoleCall } from '#console/api/console-api.ts'
import type { Wait } from '#console/api/types.ts'
import { usePolled } from '#console/api/use-polled.ts'
import { locale } from '#console/lib/locale.ts'
import { fullTime } from '#console/lib/time.ts'
import { clockTime, verbOf, whoOf } from '#console/shared/answer-words.ts'
import { membersOf } from '#console/shared/value-kind.ts'
import { ValueView } from '#console/shared/value-view.tsx'
import { titleOf } from '#console/shared/wait-words.ts'
import { Banner } from '#console/ui/banner.tsx'
import { Card } from '#console/ui/card.tsx'
import { Copy } from '#console/ui/copy.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Money } from '#console/ui/money.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { When } from '#console/ui/when.tsx'
import { AnswerForm } from './answer-form.tsx'

type WaitBodyProps = {
  runId: string
  waitId: string
  /** Its title, where nothing else says it. */
  isTitled?: boolean
  onLate(): void
  onDone(said?: string): void
}

/** What is asked, what it is about, and the form to answer it. */
export function WaitBody({ runId, waitId, isTitled = false, onLate, onDone }: WaitBodyProps) {
  const query = usePolled({
    queryKey: ['wait', runId, waitId],
    read: (signal) =>
      consoleCall('GET /runs/{runId}/waits/{waitId}', { params: { runId, waitId }, signal }),
    retryAfterSeconds: ({ status }) => (status === 'OPEN' ? 15 : 0),
  })
  return (
    <Loadable query={query} skeleton={<SkeletonRows />}>
      {(wait) => {
        const body = (
          <div className="flex min-w-0 flex-col gap-5">
            {wait.description && (
              <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{wait.description}</p>
            )}
            <Subject value={wait.value} />
            <Facts wait={wait} />
            <State wait={wait} />
            {wait.mayAnswer && <AnswerForm wait={wait} onLate={onLate} onDone={onDone} />}
          </div>
        )
        return isTitled ? <Card title={titleOf(wait)}>{body}</Card> : body
      }}
    </Loadable>
  )
}

/** Members of an object that has media or texts among them are shown one by one. */
function Subject({ value }: { value: unknown }) {
  if (value === null) return <p className="text-soft">Empty</p>
  const members = membersOf(value)
  if (!members) return <ValueView name="Subject" value={value} />
  return (
    <dl className="flex min-w-0 flex-col gap-4">
      {members.map(([name, member]) => (
        <div key={name} className="min-w-0">
          <dt className="mb-1 text-soft text-sm">{name}</dt>
          <dd>
            <ValueView name={name} value={member} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Facts({ wait }: { wait: Wait }) {
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-6 gap-y-1 text-sm">
      <dt className="text-soft">Run of</dt>
      <dd>
        <Link
          to="/runs/$runId"
          params={{ runId: wait.runId }}
          className="text-accent underline underline-offset-2"
        >
          {wait.workflowName}
        </Link>
      </dd>
      <dt className="text-soft">Cost so far</dt>
      <dd>
        <Money value={wait.cost} />
      </dd>
      <dt className="text-soft">Waiting since</dt>
      <dd>
        <When at={wait.since} />
      </dd>
      <dt className="text-soft">Expires</dt>
      <dd>
        <When at={wait.expiresAt} />, {fullTime(Date.parse(wait.expiresAt), locale)}
      </dd>
      {wait.approvers.length > 0 && (
        <>
          <dt className="text-soft">May answer</dt>
          <dd className="[overflow-wrap:anywhere]">{wait.approvers.join(', ')}</dd>
        </>
      )}
      {wait.url && (
        <>
          <dt className="text-soft">{wait.kind === 'CALLBACK' ? 'Address' : 'Link'}</dt>
          <dd className="flex min-w-0 items-center gap-2">
            <code className="truncate">{wait.url}</code>
            <Copy text={wait.url} label="Copy" />
          </dd>
        </>
      )}
    </dl>
  )
}

function State({ wait }: { wait: Wait }) {
  const { status, answer, mayAnswer, kind, fourEyes } = wait
  if (status === 'ANSWERED' && answer) {
    return (
      <Banner
        tone={answer.decision === 'reject' ? 'warn' : 'good'}
        role="status"
        title={`${whoOf(answer)} ${verbOf(answer)} this at ${clockTime(answer.at)}.`}
      >
        {answer.comment && <p className="whitespace-pre-wrap">{answer.comment}</p>}
      </Banner>
    )
  }
  if (status === 'EXPIRED')
    return <Banner tone="warn" role="status" title="Nobody answered in time." />
  if (status === 'CANCELLED') {
    return <Banner tone="warn" role="status" title="The run no longer waits for this." />
  }
  if (mayAnswer || status !== 'OPEN') return null
  if (kind === 'CALLBACK') {
    return <Banner tone="info" title="Another system answers this, not a person." />
  }
  const why = fourEyes ? 'Whoever started the run may not answer it.' : 'Others must answer this.'
  return <Banner tone="info" title={why} />
}
