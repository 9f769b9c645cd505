import type { Command } from '../command.ts'
import { signIn } from './service.ts'

const deliveryId = [
  { name: 'DELIVERY_ID', kind: 'one', help: 'As "deliveries" shows it.' },
] as const
const credentialName = [
  { name: 'NAME', kind: 'one', help: 'The name by which workflows refer to it.' },
] as const

const budgetName = [
  { name: 'WHAT', kind: 'one', help: 'account, tag:NAME, key:ID or workflow:ID.' },
  { name: 'PERIOD', kind: 'one', help: 'day or month (UTC).' },
] as const

const routeName = [{ name: 'NAME', kind: 'one', help: 'Calls name it as route:NAME.' }] as const
const modelName = [{ name: 'MODEL', kind: 'one', help: 'As "prices list" shows it.' }] as const
const signsInAsOwner = 'Signs in as an owner of the account: an API key may not do this.'

/** Commands about what an account keeps in the console API, besides its keys. */
export const consoleCommands: readonly Command[] = [
  {
    name: 'credentials list',
    summary: 'List the credentials that workflows refer to by name',
    about: `Secrets are never shown. ${signIn}`,
    load: async () => (await import('../commands/credentials.ts')).listCredentials,
  },
  {
    name: 'credentials set',
    summary: 'Store a credential, or replace the one of this name',
    about: `Reads the secret from standard input, or asks for it without showing it (docs/credentials.md). ${signIn}`,
    positionals: credentialName,
    options: {
      kind: {
        kind: 'text',
        value: 'KIND',
        help: 'bearer (default), header, basic, provider, or webhook: what a sender signs with.',
      },
      header: { kind: 'text', value: 'NAME', help: 'Name of the header, for the kind header.' },
      username: { kind: 'text', value: 'NAME', help: 'User name, for the kind basic.' },
      provider: {
        kind: 'text',
        value: 'NAME',
        help: 'Whose key it is, such as openai: nodes that name it call models with this key.',
      },
      host: {
        kind: 'list',
        value: 'HOST',
        help: 'Where it may be sent, such as api.example.com. May be repeated.',
      },
    },
    examples: [
      'printf %s "$CRM_TOKEN" | atelier credentials set crm --host api.crm.example',
      'printf %s "$OPENAI_API_KEY" | atelier credentials set my-openai --provider openai',
      'printf %s "$GITHUB_SECRET" | atelier credentials set github-hook --kind webhook',
    ],
    load: async () => (await import('../commands/credentials.ts')).setCredential,
  },
  {
    name: 'credentials delete',
    summary: 'Delete a credential; nodes that refer to it fail from then on',
    about: signIn,
    positionals: credentialName,
    load: async () => (await import('../commands/credentials.ts')).deleteCredential,
  },
  {
    name: 'prices list',
    summary: 'List the models whose price is not known, with your stand-in prices',
    about: `A model without one is refused under a spend limit (docs/models.md). ${signIn}`,
    load: async () => (await import('../commands/prices.ts')).listStandIns,
  },
  {
    name: 'prices set',
    summary: 'Set the stand-in price of a model, in US dollars',
    about: signsInAsOwner,
    positionals: modelName,
    options: {
      input: { kind: 'text', value: 'USD', help: 'Per million tokens of input.' },
      output: { kind: 'text', value: 'USD', help: 'Per million tokens of output.' },
      image: { kind: 'text', value: 'USD', help: 'Per image.' },
      second: { kind: 'text', value: 'USD', help: 'Per second of video.' },
      hour: { kind: 'text', value: 'USD', help: 'Per hour of a recording.' },
      characters: { kind: 'text', value: 'USD', help: 'Per million characters to be spoken.' },
    },
    examples: ['atelier prices set fal/veo-3.1-fast --second 0.40'],
    load: async () => (await import('../commands/prices.ts')).setStandIn,
  },
  {
    name: 'prices remove',
    summary: 'Remove the stand-in price of a model',
    about: signsInAsOwner,
    positionals: modelName,
    load: async () => (await import('../commands/prices.ts')).removeStandIn,
  },
  {
    name: 'routes list',
    summary: 'List the routes: names under which one of several models answers',
    about: `Models in brackets cannot be called now (docs/routes.md). ${signIn}`,
    load: async () => (await import('../commands/routes.ts')).listRoutes,
  },
  {
    name: 'routes set',
    summary: 'Define a route, or replace the one of this name',
    about: signIn,
    positionals: routeName,
    options: {
      model: { kind: 'list', value: 'MODEL', help: 'A candidate, the preferred first. Repeat it.' },
      sort: { kind: 'text', value: 'HOW', help: 'order (default), price or latency.' },
      on: {
        kind: 'list',
        value: 'REASON',
        help: 'When the next is asked: connect, rate_limit, unavailable (these by default), context, content or timeout. Repeat it.',
      },
      file: { kind: 'text', value: 'FILE', help: 'The whole route as JSON; - reads it here.' },
    },
    examples: [
      'atelier routes set writer --model claude-sonnet-4-5 --model gpt-5',
      'atelier routes set writer --file writer.json',
    ],
    load: async () => (await import('../commands/routes.ts')).setRoute,
  },
  {
    name: 'routes remove',
    summary: 'Delete a route; calls that name it are refused from then on',
    about: signIn,
    positionals: routeName,
    load: async () => (await import('../commands/routes.ts')).removeRoute,
  },
  {
    name: 'budgets list',
    summary: 'List budgets, and what is spent, reserved and left of them',
    about: `Days and months are in UTC (docs/budgets.md). ${signIn}`,
    load: async () => (await import('../commands/budgets.ts')).listBudgets,
  },
  {
    name: 'budgets set',
    summary: 'Set a daily or monthly budget of the account, a tag, a key or a workflow',
    about: `Owners only. ${signIn}`,
    positionals: [...budgetName, { name: 'LIMIT', kind: 'one', help: 'In US dollars, or none.' }],
    examples: ['atelier budgets set account month 100', 'atelier budgets set tag:nightly day 5'],
    load: async () => (await import('../commands/budgets.ts')).setBudget,
  },
  {
    name: 'budgets raise',
    summary: 'Raise a budget until a time, after which the old limit holds again',
    about: `Owners only; the audit log records it. ${signIn}`,
    positionals: [
      ...budgetName,
      { name: 'AMOUNT', kind: 'one', help: 'How much more, in US dollars; 0 ends a raise.' },
    ],
    options: { until: { kind: 'text', value: 'TIME', help: 'Such as 2026-12-01T00:00:00Z.' } },
    examples: ['atelier budgets raise tag:nightly day 20 --until 2026-12-01T00:00:00Z'],
    load: async () => (await import('../commands/budgets.ts')).raiseBudget,
  },
  {
    name: 'budgets tag',
    summary: 'Say what calls with a key, or runs of a workflow, are counted under',
    about: `A tag that a caller sends comes first. ${signIn}`,
    positionals: [
      { name: 'WHAT', kind: 'one', help: 'key:ID or workflow:ID.' },
      { name: 'TAG', kind: 'one', help: 'The tag, or none.' },
    ],
    examples: ['atelier budgets tag workflow:7 nightly'],
    load: async () => (await import('../commands/budgets.ts')).setDefaultTag,
  },
  {
    name: 'calls unsettled',
    summary: 'List calls that count as spent although nobody knows what they cost',
    about: `Their answers were lost, so they count as the most they can have cost. ${signIn}`,
    load: async () => (await import('../commands/calls.ts')).listUnsettled,
  },
  {
    name: 'calls settle',
    summary: 'Say what such a call did cost, as the provider billed it',
    about: `The audit log records it. ${signIn}`,
    positionals: [
      { name: 'CALL_ID', kind: 'one', help: 'As "calls unsettled" shows it.' },
      { name: 'COST', kind: 'one', help: 'In US dollars; 0 if it was not billed.' },
    ],
    examples: ['atelier calls settle 01a1dd90-4c2b-783d-a2ec-f9c50669286a 0'],
    load: async () => (await import('../commands/calls.ts')).settleCall,
  },
  {
    name: 'webhooks secret',
    summary: 'Print the secret that signs your webhooks',
    about: signIn,
    load: async () => (await import('../commands/webhooks.ts')).showSecret,
  },
  {
    name: 'webhooks rotate',
    summary: 'Replace that secret; the previous one stays valid for 24 hours',
    about: signIn,
    load: async () => (await import('../commands/webhooks.ts')).rotateSecret,
  },
  {
    name: 'deliveries list',
    summary: 'List webhook deliveries, newest first',
    about: signIn,
    options: {
      status: {
        kind: 'text',
        value: 'STATUS',
        help: 'Only those that are PENDING, DELIVERED, FAILED or DISABLED.',
      },
      run: { kind: 'text', value: 'RUN_ID', help: 'Only those about this run.' },
    },
    load: async () => (await import('../commands/webhooks.ts')).listDeliveries,
  },
  {
    name: 'deliveries redeliver',
    summary: 'Deliver a webhook again now',
    about: signIn,
    positionals: deliveryId,
    load: async () => (await import('../commands/webhooks.ts')).redeliver,
  },
]
