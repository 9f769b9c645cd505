import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Call } from '#console/api/types.ts'
import { locale } from '#console/lib/locale.ts'
import { Badge } from '#console/ui/badge.tsx'
import { Button } from '#console/ui/button.tsx'
import { Money } from '#console/ui/money.tsx'
import { When } from '#console/ui/when.tsx'
import { May } from './may.tsx'
import { SettleDialog } from './settle-dialog.tsx'

const outcomes: Record<
  Call['outcome'],
  { label: string; tone: 'plain' | 'good' | 'warn' | 'bad'; help?: string }
> = {
  PENDING: { label: 'In progress', tone: 'plain' },
  SUCCEEDED: { label: 'Succeeded', tone: 'good' },
  FAILED: { label: 'Failed', tone: 'bad' },
  REJECTED: { label: 'Not accepted', tone: 'warn', help: 'Not billed.' },
  UNKNOWN: {
    label: 'Answer lost',
    tone: 'warn',
    help: 'The provider may have billed it, so the highest possible cost is counted.',
  },
}

/** "1 shed, key eu: not accepted · 2 shed, key us: succeeded", oldest first. */
export const attemptsLine = (calls: readonly Call[]): string =>
  calls
    .map((call, index) => {
      const key = call.credential ?? call.deployment
      const who = key === null ? call.provider : `${call.provider}, key ${key}`
      return `${index + 1} ${who}: ${outcomes[call.outcome].label.toLowerCase()}`
    })
    .join(' · ')

const remarks: Record<NonNullable<Call['remark']>, { label: string; help: string }> = {
  LOST: { label: 'Process lost', help: 'The server stopped before the answer was recorded.' },
  CLAMPED: {
    label: 'Usage reduced',
    help: 'The provider reported more than the context window of the model holds, so that much is counted.',
  },
  SETTLED: { label: 'Settled', help: 'The answer was lost; somebody entered what it did cost.' },
}

/** Calls to providers as recorded in the ledger, one line of facts each. */
export function CallList({ calls }: { calls: readonly Call[] }) {
  const [settling, setSettling] = useState<Call | null>(null)
  return (
    <>
      {settling && <SettleDialog call={settling} onClose={() => setSettling(null)} />}
      <ul className="flex flex-col divide-y divide-line">
        {calls.map((call) => {
          const outcome = outcomes[call.outcome]
          const remark = call.remark && remarks[call.remark]
          const help = call.remark === 'SETTLED' ? undefined : outcome.help
          return (
            <li key={call.id} className="flex flex-col gap-1 py-3">
              <div className="flex flex-wrap items-center justify-between gap-2">
                <span className="font-semibold [overflow-wrap:anywhere]">{call.model}</span>
                <Money value={call.cost} />
              </div>
              <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-soft text-sm">
                <span title={outcome.help}>
                  <Badge tone={outcome.tone}>{outcome.label}</Badge>
                </span>
                {call.isUnsettled && <Badge tone="warn">Unsettled</Badge>}
                {remark && <Badge tone="plain">{remark.label}</Badge>}
                <span>
                  {call.provider}
                  {call.credential !== null && `, key ${call.credential}`}
                  {call.deployment !== null && `, key ${call.deployment}`}
                </span>
                {call.tier !== null && (
                  <span title="It cost less because its run has a deadline.">
                    {call.tier === 'batch' ? 'in a batch' : 'flex tier'}
                  </span>
                )}
                {call.route !== null && <span>{`route:${call.route}`}</span>}
                {call.attempt !== null && <span>{`attempt ${call.attempt}`}</span>}
                {unitsText(call) && <span>{unitsText(call)}</span>}
                <When at={call.settledAt ?? call.createdAt} />
                {call.runId && (
                  <Link
                    to="/runs/$runId"
                    params={{ runId: call.runId }}
                    search={call.nodeId ? { node: call.nodeId } : {}}
                  >
                    Run
                  </Link>
                )}
                {call.taskId && (
                  <Link to="/tasks/$taskId" params={{ taskId: call.taskId }}>
                    Task
                  </Link>
                )}
              </div>
              {(help || remark) && (
                <p className="text-soft text-xs">
                  {[help, remark?.help].filter(Boolean).join(' ')}
                </p>
              )}
              {call.isUnsettled && (
                <May need="owner">
                  <div>
                    <Button onClick={() => setSettling(call)}>Settle</Button>
                  </div>
                </May>
              )}
            </li>
          )
        })}
      </ul>
    </>
  )
}

const count = new Intl.NumberFormat(locale)

/** The counts that are known, in parentheses. */
function partsText(parts: readonly (readonly [number | undefined, string])[]): string {
  const named = parts.flatMap(([tokens, what]) =>
    tokens === undefined ? [] : [`${count.format(tokens)} ${what}`],
  )
  return named.length === 0 ? '' : ` (${named.join(', ')})`
}

function unitsText({ units }: Call): string {
  const { inputTokens, outputTokens, images, videoSeconds } = units
  const { inputAudioSeconds, inputCharacters, searches } = units
  const input = partsText([
    [units.cachedInputTokens, 'cached'],
    [units.cacheWriteTokens, 'written to the cache'],
    [units.inputImageTokens, 'of images'],
    [units.inputAudioTokens, 'of audio'],
  ])
  const output = partsText([
    [units.reasoningTokens, 'reasoning'],
    [units.outputImageTokens, 'of images'],
    [units.outputAudioTokens, 'of audio'],
  ])
  return [
    inputTokens !== undefined && `${count.format(inputTokens)} tokens in${input}`,
    outputTokens !== undefined && `${count.format(outputTokens)} out${output}`,
    images !== undefined && `${count.format(images)} image${images === 1 ? '' : 's'}`,
    videoSeconds !== undefined && `${count.format(videoSeconds)} s of video`,
    inputAudioSeconds !== undefined && `${count.format(inputAudioSeconds)} s of audio heard`,
    inputCharacters !== undefined && `${count.format(inputCharacters)} characters spoken`,
    searches !== undefined && `${count.format(searches)} searched on the web`,
  ]
    .filter(Boolean)
    .join(', ')
}
