import { CirclePause } from 'lucide-react'
import type { Live } from '#console/api/types.ts'
import { Card } from '#console/ui/card.tsx'
import { type Column, Table } from '#console/ui/table.tsx'
import { When } from '#console/ui/when.tsx'
import { type LaneRow, laneRows, limitWords, pauseWords } from './lane-words.ts'

/** Limits and pauses of the keys that calls are made with. */
export function LanesTable({ lanes }: { lanes: Live['lanes'] }) {
  return (
    <Card title="Provider keys" flush>
      <Table
        caption="Limits of provider keys, and your calls that wait for them"
        columns={columns}
        rows={laneRows(lanes)}
        rowKey={({ id }) => id}
      />
    </Card>
  )
}

const columns: readonly Column<LaneRow>[] = [
  {
    key: 'provider',
    label: 'Provider',
    names: true,
    draw: ({ provider, key }) => (
      <>
        <span className="[overflow-wrap:anywhere]">
          {key?.name ? `${provider} / ${key.name}` : provider}
        </span>
        {key?.model && <code className="block text-soft text-xs">{key.model}</code>}
        {key?.paused && (
          <span className="flex items-start gap-1 text-sm text-warn">
            <CirclePause size={14} aria-hidden className="mt-0.5 shrink-0" />
            {pauseWords(key.paused)}
          </span>
        )}
      </>
    ),
  },
  {
    key: 'inFlight',
    label: 'In flight',
    align: 'right',
    className: 'whitespace-nowrap tabular-nums',
    draw: ({ key }) => (key ? inFlight(key) : '–'),
  },
  {
    key: 'limits',
    label: 'Per minute',
    align: 'right',
    wideOnly: true,
    className: 'whitespace-nowrap',
    draw: ({ key }) => <Limits words={limitWords(key)} />,
  },
  {
    key: 'waiting',
    label: 'Waiting',
    align: 'right',
    draw: ({ lane }) => lane && <Waiting {...lane} />,
  },
]

const inFlight = ({ inFlight: calls, concurrency }: NonNullable<LaneRow['key']>) =>
  concurrency === null ? String(calls) : `${calls} of ${concurrency}`

const Limits = ({ words }: { words: readonly string[] }) =>
  words.length === 0
    ? '–'
    : words.map((limit) => (
        <span key={limit} className="block">
          {limit}
        </span>
      ))

function Waiting({ waiting, oldestAt }: Live['lanes'][number]) {
  if (waiting === 0) return <span className="text-soft">0</span>
  return (
    <>
      <span className="tabular-nums">{waiting}</span>
      <span className="block text-soft text-xs">
        <When at={oldestAt} />
      </span>
    </>
  )
}
