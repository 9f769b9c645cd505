// Budgets: what the account, a tag, a key or a workflow may spend in a day or a month. They are part
// of the account, so that checking a credential reads them, too.
import {
  type BudgetLine,
  type BudgetName,
  budgetKey,
  defaultTagKey,
  isTag,
  type Spending,
} from '#core/budgets.ts'
import { Failure, invalid } from '#core/errors.ts'
import { toMicros } from '#core/money.ts'
import { type Static, Type } from '#core/schema.ts'
import type { Tx } from '#store/db.ts'
import {
  lockAccount,
  readSpending,
  storeSpending,
  storeSpendLimit,
} from '#store/tables/accounts.ts'
import { readApiKey, setKeySpendLimit } from '#store/tables/api-keys.ts'
import { spendFreed } from '#store/tables/ledger.ts'
import { findWorkflowHead } from '#store/tables/runs.ts'
import { answer } from '../../operation.ts'
import { Amount, Closed, NamedRecord, Nullable, OneOf, Timestamp } from '../../schemas.ts'
import { type ConsoleContext, defineConsole, requireCaller } from '../context.ts'
import { BudgetRecord, budgetFields, budgetsOf, Tag } from './budget-record.ts'
import { assertUnlimited } from './own-limit.ts'

/** All of them are read with each credential. */
const most = 1_000
const longestRaiseMs = 366 * 24 * 3_600_000

const Limit = Type.Number({ ...Amount, maximum: 1_000_000_000 })

const Budgets = NamedRecord('Budgets', {
  items: Type.Array(BudgetRecord),
  tags: Type.Array(Closed({ scope: OneOf(['key', 'workflow']), target: Type.String(), tag: Tag }), {
    description: 'What calls with a key, and runs of a workflow, are counted under by default.',
  }),
})

const success = { 200: { description: 'All budgets, as they are now.', data: Budgets } }

export const listBudgets = defineConsole({
  id: 'listBudgets',
  route: 'GET /budgets',
  summary: 'Lists budgets, what is used of them, and default tags',
  access: 'viewer',
  takesKeys: true,
  success,
  handle: async (context) => answer(await shown(context)),
})

const Setting = Closed({
  ...budgetFields,
  limit: Nullable(Type.Number({ ...Limit, description: 'In USD. Null removes the budget.' })),
})

export const setBudget = defineConsole({
  id: 'setBudget',
  route: 'PUT /budgets',
  summary: 'Sets a daily or monthly budget of the account, a tag, a key or a workflow',
  access: 'owner',
  takesKeys: true,
  body: Setting,
  success,
  errors: ['TAG_INVALID', 'RECORD_NOT_FOUND', 'WORKFLOW_NOT_FOUND', 'QUOTA_EXCEEDED'],
  audit: {
    action: 'budget.changed',
    target: ({ body }) =>
      `${nameText(body)}: ${body.limit === null ? 'removed' : `${body.limit} USD`}`,
  },
  repeatable: true,
  async handle(context, { body }) {
    const { limit } = body
    const limitMicros = limit === null ? null : toMicros(limit)
    await change(context, body, async (tx, { accountId, name, line }) => {
      if (isOlder(name)) {
        await storeOlder(tx, accountId, name, limitMicros)
        return limitMicros === null ? undefined : line
      }
      return limitMicros === null ? undefined : { ...line, limitMicros }
    })
    return answer(await shown(context))
  },
})

const Raising = Closed({
  ...budgetFields,
  amount: Type.Number({ ...Limit, description: 'How much more, in USD. 0 ends a raise.' }),
  until: { ...Timestamp, description: 'When the raise ends, at most 366 days from now.' },
})

export const raiseBudget = defineConsole({
  id: 'raiseBudget',
  route: 'PUT /budgets/raise',
  summary: 'Raises a budget until a time, after which the old limit holds again',
  access: 'owner',
  takesKeys: true,
  body: Raising,
  success,
  errors: ['TAG_INVALID', 'RECORD_NOT_FOUND', 'WORKFLOW_NOT_FOUND', 'QUOTA_EXCEEDED'],
  audit: {
    action: 'budget.raised',
    target: ({ body }) => `${nameText(body)}: by ${body.amount} USD until ${body.until}`,
  },
  repeatable: true,
  async handle(context, { body }) {
    const untilMs = Date.parse(body.until)
    const nowMs = context.services.clock.nowMs()
    if (untilMs <= nowMs || untilMs > nowMs + longestRaiseMs) {
      const message = 'until must be in the future, and at most 366 days from now'
      throw invalid('INVALID_REQUEST', [{ path: '/until', rule: 'range', message }], `${message}.`)
    }
    const raise = { amountMicros: toMicros(body.amount), untilMs }
    const budgets = await budgetsOf(context.services, requireCaller(context).accountId)
    await change(context, body, async (_, { name, line }) => {
      const exists = budgets.some(
        (one) => budgetKey({ ...one, target: one.target ?? '' }) === budgetKey(name),
      )
      if (!exists) throw new Failure('RECORD_NOT_FOUND', { message: 'There is no such budget.' })
      const { raise: _before, ...kept } = line ?? {}
      return raise.amountMicros === 0 ? kept : { ...kept, raise }
    })
    return answer(await shown(context))
  },
})

const Tagging = Closed({
  scope: OneOf(['key', 'workflow']),
  target: Type.String({ minLength: 1, maxLength: 64 }),
  tag: Nullable(Type.String({ maxLength: 200, description: 'Null: none.' })),
})

export const setDefaultTag = defineConsole({
  id: 'setDefaultTag',
  route: 'PUT /default-tags',
  summary: 'Sets what calls with a key, or runs of a workflow, are counted under by default',
  access: 'owner',
  takesKeys: true,
  body: Tagging,
  success,
  errors: ['TAG_INVALID', 'RECORD_NOT_FOUND', 'WORKFLOW_NOT_FOUND', 'QUOTA_EXCEEDED'],
  audit: {
    action: 'default-tag.changed',
    target: ({ body: { scope, target, tag } }) => `${scope} ${target}: ${tag ?? 'none'}`,
  },
  repeatable: true,
  async handle(context, { body: { scope, target, tag } }) {
    const { accountId } = requireCaller(context)
    assertUnlimited(context, 'change budgets')
    if (tag !== null && !isTag(tag)) throw new Failure('TAG_INVALID')
    await store(context, accountId, async (tx, spending) => {
      const { [defaultTagKey(scope, target)]: before, ...others } = spending.tags ?? {}
      if (before === undefined) await requireTarget(tx, accountId, { scope, target })
      const tags = tag === null ? others : { ...others, [defaultTagKey(scope, target)]: tag }
      return { ...spending, tags }
    })
    return answer(await shown(context))
  },
})

async function shown(context: ConsoleContext): Promise<Static<typeof Budgets>> {
  const { accountId } = requireCaller(context)
  const { db } = context.services
  const { tags = {} } = (await readSpending(db, accountId)) ?? {}
  return {
    items: await budgetsOf(context.services, accountId),
    tags: Object.entries(tags).map(([key, tag]) => {
      const [scope, target = ''] = key.split(' ')
      return { scope: scope as 'key' | 'workflow', target, tag }
    }),
  }
}

type Named = { scope: BudgetName['scope']; target?: string; period: BudgetName['period'] }

const nameText = ({ scope, target, period }: Named) =>
  `${period} of ${scope}${target === undefined ? '' : ` ${target}`}`

/** The monthly limits of the account and of keys are stored where they were before budgets. */
const isOlder = ({ scope, period }: BudgetName) =>
  period === 'month' && (scope === 'account' || scope === 'key')

async function storeOlder(tx: Tx, accountId: string, name: BudgetName, micros: number | null) {
  if (name.scope === 'account') await storeSpendLimit(tx, accountId, micros)
  else await setKeySpendLimit(tx, accountId, name.target, micros)
}

type Changing = { accountId: string; name: BudgetName; line: BudgetLine | undefined }

async function change(
  context: ConsoleContext,
  { scope, target = '', period }: Named,
  edit: (tx: Tx, of: Changing) => Promise<BudgetLine | undefined>,
): Promise<void> {
  const { accountId } = requireCaller(context)
  assertUnlimited(context, 'change budgets')
  const name = { scope, target, period }
  await store(context, accountId, async (tx, spending) => {
    const key = budgetKey(name)
    const { [key]: line, ...others } = spending.budgets ?? {}
    // One that is there can be removed even if its key or workflow is gone.
    if (!line) await requireTarget(tx, accountId, name)
    const next = await edit(tx, { accountId, name, line })
    const isKept = next !== undefined && Object.keys(next).length > 0
    return { ...spending, budgets: isKept ? { ...others, [key]: next } : others }
  })
}

/** One after the other, so that none is lost. */
async function store(
  { services: { db, verifier } }: ConsoleContext,
  accountId: string,
  edit: (tx: Tx, spending: Spending) => Promise<Spending>,
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockAccount(tx, accountId)
    const next = await edit(tx, (await readSpending(tx, accountId)) ?? {})
    const { budgets = {}, tags = {} } = next
    if (Object.keys(budgets).length > most || Object.keys(tags).length > most) {
      const message = `An account has at most ${most} budgets and ${most} default tags.`
      throw new Failure('QUOTA_EXCEEDED', { message, retryable: false })
    }
    await storeSpending(tx, accountId, next)
    tx.notify(spendFreed)
  })
  verifier.forgetAccount(accountId)
}

async function requireTarget(
  tx: Tx,
  accountId: string,
  { scope, target }: Pick<BudgetName, 'scope' | 'target'>,
): Promise<void> {
  if ((scope === 'account') !== (target === '')) {
    const message = scope === 'account' ? 'must be left out' : 'is required'
    const issue = { path: '/target', rule: 'scope', message }
    throw invalid('INVALID_REQUEST', [issue], `target ${message} for scope ${scope}.`)
  }
  if (scope === 'tag' && !isTag(target)) throw new Failure('TAG_INVALID')
  if (scope === 'key') {
    const key = isUuid.test(target) ? await readApiKey(tx, accountId, target) : null
    if (key && key.revokedAtMs === null) return
    throw new Failure('RECORD_NOT_FOUND', { message: 'There is no such key.' })
  }
  if (scope === 'workflow') {
    const id = /^[1-9][0-9]{0,14}$/.test(target) ? Number(target) : null
    if (id === null || !(await findWorkflowHead(tx, accountId, id)))
      throw new Failure('WORKFLOW_NOT_FOUND')
  }
}

const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
