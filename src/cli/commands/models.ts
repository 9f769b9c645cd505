import type { Model } from '#client/client.ts'
import type { Cli, Run } from '../command.ts'
import { connect } from '../connection.ts'
import { readWithKey } from '../console-api.ts'
import { exits } from '../terminal/failure.ts'
import { printJson } from '../terminal/result.ts'
import { showMinute, showMoney } from '../terminal/show.ts'
import { printTable } from '../terminal/text-table.ts'

export const models: Run = async (cli) => {
  const list = await connect(cli).models.list({ signal: cli.signal })
  if (cli.json) printJson(cli, list)
  else {
    const rows = list.items.map((model) => [model.id, model.kind, model.provider, priceOf(model)])
    printTable(cli.out, ['MODEL', 'KIND', 'PROVIDER', 'PRICE'], rows)
    await printDeployments(cli)
  }
  return exits.ok
}

/** The server's keys, where it has several of a provider. */
async function printDeployments(cli: Cli): Promise<void> {
  const deployments = await readDeployments(cli)
  if (deployments.length === 0) return
  const rows = deployments.map(({ provider, name, weight, state, until }) => [
    ...[`${provider}/${name}`, String(weight), state],
    until === null ? '' : showMinute(until),
  ])
  cli.out.line('')
  printTable(cli.out, ['DEPLOYMENT', 'WEIGHT', 'STATE', 'UNTIL'], rows)
}

type Deployment = { name: string; weight: number; state: string; until: string | null }

export async function readDeployments(
  cli: Pick<Cli, 'settings' | 'signal'>,
): Promise<(Deployment & { provider: string })[]> {
  const facts = (await readWithKey(cli, '/server')) as {
    providers: { id: string; deployments?: Deployment[] }[]
  } | null
  return (facts?.providers ?? []).flatMap(({ id, deployments = [] }) =>
    deployments.map((deployment) => ({ provider: id, ...deployment })),
  )
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
