import type { Model } from '#client/client.ts'
import type { Run } from '../command.ts'
import { connect } from '../connection.ts'
import { exits } from '../terminal/failure.ts'
import { printJson } from '../terminal/result.ts'
import { showMoney } from '../terminal/show.ts'
import { printTable } from '../terminal/text-table.ts'

export const models: Run = async (cli) => {
  const list = await connect(cli).models.list({ signal: cli.signal })
  if (cli.json) printJson(cli, list)
  else {
    const rows = list.items.map((model) => [model.id, model.kind, model.provider, priceOf(model)])
    printTable(cli.out, ['MODEL', 'KIND', 'PROVIDER', 'PRICE'], rows)
  }
  return exits.ok
}

export function priceOf({ pricing, demo }: Pick<Model, 'pricing' | 'demo'>): string {
  if (pricing === null) return 'unknown'
  const { currency, inputPerMillionTokens, outputPerMillionTokens, perImage, perSecond } = pricing
  const show = (amount: number) => showMoney({ amount, currency })
  const prices = [
    ...(inputPerMillionTokens === undefined && outputPerMillionTokens === undefined
      ? []
      : [
          `${show(inputPerMillionTokens ?? 0)} in, ${show(outputPerMillionTokens ?? 0)} out per million tokens`,
        ]),
    ...(perImage === undefined ? [] : [`${show(perImage)} per picture`]),
    ...(perSecond === undefined ? [] : [`${show(perSecond)} per second`]),
  ]
  return demo ? 'free (demonstration)' : prices.join(', ')
}
