import { Link } from '@tanstack/react-router'
import type { CatalogueModel } from '#console/api/types.ts'
import { locale } from '#console/lib/locale.ts'
import { May } from '#console/shared/may.tsx'
import { contextText, providerName } from '#console/shared/model-facts.ts'
import { dayText, priceText, sourceText } from '#console/shared/model-price.ts'
import { UsedByWorkflows } from '#console/shared/used-by-workflows.tsx'
import { buttonClass } from '#console/ui/button-class.ts'
import { Copy } from '#console/ui/copy.tsx'
import { Status } from '#console/ui/status.tsx'
import { type Column, Table } from '#console/ui/table.tsx'
import { kindWords, stateWords } from './model-words.ts'

type Row = CatalogueModel

const looks = {
  ready: 'good',
  unpriced: 'warn',
  'no-key': 'waiting',
  disabled: 'cancelled',
  retired: 'cancelled',
} as const

/** Where a model of each kind can be tried. The other kinds have no page for it. */
const playgrounds: Partial<
  Record<Row['kind'], '/playground/chat' | '/playground/image' | '/playground/video'>
> = {
  TEXT: '/playground/chat',
  CODE: '/playground/chat',
  IMAGE: '/playground/image',
  VIDEO: '/playground/video',
}

export function ModelTable({ models }: { models: readonly Row[] }) {
  return <Table caption="Models" columns={columns} rows={models} rowKey={({ id }) => id} />
}

const columns: readonly Column<Row>[] = [
  {
    key: 'name',
    label: 'Model',
    names: true,
    draw: (model) => (
      <div className="flex min-w-0 flex-col">
        <span className="font-semibold">{model.name}</span>
        <span className="flex items-center gap-1">
          <code className="text-soft text-xs [overflow-wrap:anywhere]">{model.id}</code>
          <Copy text={model.id} label={`Copy id of ${model.name}`} />
        </span>
        <span className="text-soft text-xs md:hidden">
          {kindWords[model.kind]} · {priceText(model, locale)}
        </span>
        <Ending model={model} />
      </div>
    ),
  },
  {
    key: 'kind',
    label: 'Kind',
    wideOnly: true,
    draw: (model) => (
      <span className="flex flex-col xl:whitespace-nowrap">
        {kindWords[model.kind]}
        <span className="text-soft text-xs">{providerName(model.provider)}</span>
      </span>
    ),
  },
  {
    key: 'context',
    label: 'Context',
    wideOnly: true,
    align: 'right',
    draw: (model) => contextText(model)?.replace(' context', '') ?? '–',
  },
  {
    key: 'price',
    label: 'Price',
    wideOnly: true,
    draw: (model) => (
      <span className="flex flex-col xl:whitespace-nowrap">
        {priceText(model, locale)}
        <span className="text-soft text-xs">
          {model.pricing?.standIn
            ? 'your stand-in price'
            : model.priceSource && sourceText(model.priceSource, locale)}
        </span>
      </span>
    ),
  },
  {
    key: 'state',
    label: 'State',
    draw: (model) => (
      <span className="flex max-w-72 flex-col min-[1800px]:max-w-none">
        <Status kind={looks[model.state]} label={stateWords[model.state]} />
        <span className="text-soft text-xs max-md:hidden">
          {model.why ?? (model.withOwnKey ? 'In workflows, with your own key.' : null)}
        </span>
      </span>
    ),
  },
  {
    key: 'try',
    label: 'Try',
    hideLabel: true,
    align: 'right',
    draw: (model) => <Try {...model} />,
  },
]

function Ending({ model: { id, lifecycle } }: { model: Row }) {
  const { status, shutdownAt, replacement } = lifecycle
  if (status === 'active' || !shutdownAt) return null
  return (
    <span className="text-warn text-xs">
      {status === 'retired' ? 'Retired' : 'Retires'} {dayText(shutdownAt, locale)}
      {replacement && `; use ${replacement}`} <UsedByWorkflows word={`${id};`} />
    </span>
  )
}

function Try({ id, name, kind, state, withOwnKey }: Row) {
  const to = playgrounds[kind]
  if (!to || withOwnKey || (state !== 'ready' && state !== 'unpriced')) return null
  return (
    <May need="editor">
      <Link
        to={to}
        search={{ model: id }}
        aria-label={`Try ${name}`}
        className={buttonClass('secondary', 'small')}
      >
        Try
      </Link>
    </May>
  )
}
