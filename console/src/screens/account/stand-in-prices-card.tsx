import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import { useRole } from '#console/api/session.ts'
import type { StandInPrice } from '#console/api/types.ts'
import { locale } from '#console/lib/locale.ts'
import { formatMoney } from '#console/lib/money.ts'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Field } from '#console/ui/field.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { toast } from '#console/ui/toasts.ts'
import { priceLabels, pricesOf, readPrices } from './stand-in-price.ts'

/** Absent if every model has a price. */
export function StandInPricesCard() {
  const isOwner = useRole() === 'owner'
  const list = useQuery({
    queryKey: ['stand-in-prices'],
    queryFn: ({ signal }) => consoleCall('GET /stand-in-prices', { signal }),
  })
  const [edited, setEdited] = useState<string | null>(null)
  const items = list.data?.items ?? []
  if (items.length === 0) return null
  return (
    <Card title="Models without a price">
      <p className="mb-4 text-soft">
        Their vendors’ prices are not known, so they are refused under a spend limit, unless you
        choose a price to count with. Choose the highest that the vendor may charge.
      </p>
      <ul className="flex flex-col gap-3">
        {items.map((item) => (
          <li key={item.model} className="flex flex-col gap-3">
            <div className="flex flex-wrap items-center justify-between gap-2">
              <div className="min-w-0">
                <code className="[overflow-wrap:anywhere]">{item.model}</code>
                <p className="text-soft text-sm">{priceWords(item)}</p>
              </div>
              {isOwner && edited !== item.model && (
                <Button
                  aria-label={`${verbFor(item)} for ${item.model}`}
                  onClick={() => setEdited(item.model)}
                >
                  {verbFor(item)}
                </Button>
              )}
            </div>
            {edited === item.model && <PriceForm item={item} onDone={() => setEdited(null)} />}
          </li>
        ))}
      </ul>
    </Card>
  )
}

const verbFor = ({ pricing }: StandInPrice) => (pricing ? 'Change the price' : 'Set a price')

function priceWords({ pricing, kind }: StandInPrice): string {
  if (!pricing) return 'Refused under a limit'
  const words = pricesOf(kind).flatMap((name) =>
    pricing[name] === undefined
      ? []
      : [`${formatMoney(pricing[name], 'USD', locale)} ${priceLabels[name].replace(/^P/, 'p')}`],
  )
  return `Stand-in: ${words.join(', ')}`
}

function PriceForm({ item, onDone }: { item: StandInPrice; onDone(): void }) {
  const client = useQueryClient()
  const names = pricesOf(item.kind)
  const [typed, setTyped] = useState<Record<string, string>>(() =>
    Object.fromEntries(names.map((name) => [name, String(item.pricing?.[name] ?? '')])),
  )
  const [isTried, setTried] = useState(false)
  const pricing = readPrices(item.kind, typed)
  const save = useMutation({
    mutationFn: (price: StandInPrice['pricing']) =>
      consoleCall('PUT /stand-in-prices', { body: { model: item.model, pricing: price } }),
    onSuccess: (saved) => {
      client.setQueryData(['stand-in-prices'], saved)
      toast('Saved')
      onDone()
    },
  })
  return (
    <form
      noValidate
      className="flex flex-col gap-3 rounded-sm bg-sunken p-3"
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (pricing) save.mutate(pricing)
      }}
    >
      {save.error && <Failure failure={toApiFailure(save.error)} />}
      {names.map((name) => (
        <Field
          key={name}
          label={`${priceLabels[name]}, in USD`}
          problem={isTried && !pricing ? 'Enter 0 or more.' : null}
        >
          {(control) => (
            <TextInput
              {...control}
              inputMode="decimal"
              value={typed[name] ?? ''}
              onChange={(event) => setTyped({ ...typed, [name]: event.target.value })}
            />
          )}
        </Field>
      ))}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" busy={save.isPending}>
          Save
        </Button>
        {item.pricing && <Button onClick={() => save.mutate(null)}>Remove</Button>}
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  )
}
