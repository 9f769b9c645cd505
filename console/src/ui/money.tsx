import { locale } from '#console/lib/locale.ts'
import { formatMoney } from '#console/lib/money.ts'

type MoneyProps = { value: { amount: number; currency: string } | null | undefined }

/** An amount; if absent, a dash that is read out as "no price". */
export function Money({ value }: MoneyProps) {
  if (!value)
    return (
      <span className="text-soft">
        <span aria-hidden>–</span>
        <span className="sr-only">no price</span>
      </span>
    )
  return <span>{formatMoney(value.amount, value.currency, locale)}</span>
}
