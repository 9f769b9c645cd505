import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { type Db, UniqueViolation, type Writer } from '#store/db.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { rounds } from '../../support/rounds.ts'

type Step = { do: 'insert' | 'put' | 'remove' | 'break'; key: number; value: number }
type Action =
  | { kind: 'write'; step: Step }
  | { kind: 'transaction'; steps: Step[]; ending: 'commit' | 'throw' }
type Outcome = 'done' | 'taken' | 'failed'
type Model = Map<number, number>

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom('insert', 'put', 'remove', 'break'),
  key: fc.nat(9),
  value: fc.nat(),
})
const sound = step.filter((one) => one.do !== 'break')
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constant('write'), step }),
  fc.record({
    kind: fc.constant('transaction'),
    steps: fc.array(fc.oneof({ weight: 9, arbitrary: sound }, step), { maxLength: 4 }),
    ending: fc.constantFrom('commit', 'commit', 'throw'),
  }),
)

/** What is asked for at once touches different keys: its order is not promised. */
function disjoint(round: Action[]): Action[] {
  const taken = new Set<number>()
  return round.filter((one) => {
    const keys = (one.kind === 'write' ? [one.step] : one.steps).map(({ key }) => key)
    if (keys.some((key) => taken.has(key))) return false
    for (const key of keys) taken.add(key)
    return true
  })
}

function applyStep(model: Model, { do: verb, key, value }: Step): Outcome {
  if (verb === 'break') return 'failed'
  if (verb === 'insert' && model.has(key)) return 'taken'
  if (verb === 'remove') model.delete(key)
  else model.set(key, value)
  return 'done'
}

function predict(model: Model, one: Action): Outcome {
  if (one.kind === 'write') return applyStep(model, one.step)
  const draft = new Map(model)
  for (const each of one.steps) {
    const outcome = applyStep(draft, each)
    if (outcome !== 'done') return outcome
  }
  if (one.ending === 'throw') return 'failed'
  model.clear()
  for (const [key, value] of draft) model.set(key, value)
  return 'done'
}

const statements = {
  insert: 'insert into items (key, value) values ($1, $2)',
  put: `insert into items (key, value) values ($1, $2)
    on conflict (key) do update set value = excluded.value`,
  remove: 'delete from items where key = $1 and $2 >= 0',
  break: 'insert into items (key, value) values ($1 + 0 * $2, null)',
}

const perform = (writer: Writer, { do: verb, key, value }: Step) =>
  writer.write(statements[verb], [key, value])

async function actual(db: Db, one: Action): Promise<Outcome> {
  try {
    if (one.kind === 'write') await perform(db, one.step)
    else {
      await db.transaction(async (tx) => {
        for (const each of one.steps) await perform(tx, each)
        if (one.ending === 'throw') throw new Error('on purpose')
      })
    }
    return 'done'
  } catch (error) {
    return error instanceof UniqueViolation ? 'taken' : 'failed'
  }
}

for (const { name, open } of databases) {
  describe(`the store compared with a plain map, on ${name}`, () => {
    let opened: TestDatabase
    before(async () => {
      opened = await open()
      await opened.db.write('create table items (key bigint primary key, value bigint not null)')
    })
    after(() => opened?.close())

    it('any sequence of writes, transactions and failures ends as in the map', async () => {
      const { db } = opened
      const sequences = fc.array(fc.array(action, { maxLength: 8 }).map(disjoint), { maxLength: 8 })
      await fc.assert(
        fc.asyncProperty(sequences, async (sequence) => {
          await db.write('delete from items')
          const model: Model = new Map()
          for (const round of sequence) {
            const outcomes = await Promise.all(round.map((one) => actual(db, one)))
            const expected = round.map((one) => predict(model, one))
            assert.deepEqual(outcomes, expected)
            const rows = await db.query<{ key: number; value: number }>('select * from items')
            assert.deepEqual(new Map(rows.map(({ key, value }) => [key, value])), model)
          }
        }),
        { numRuns: rounds(150) },
      )
    })
  })
}
