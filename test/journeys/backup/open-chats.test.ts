// Chats reach the ledger some moments after they were answered. A backup between the two has them.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { begunEntry, endedEntry, lineOf } from '#store/journals/chat-lines.ts'
import type { Attempt } from '#store/tables/ledger.ts'
import { startServer } from '../../support/server.ts'
import { cli, newFolder, newPlace, rowsOf } from './setting.ts'

test('a chat that is only in the chat log is restored with its cost, and one in flight counts as spent', async (t) => {
  const place = await newPlace(t, 'sqlite')
  await (await startServer(place)).stop()
  const [account] = await rowsOf<{ id: string }>(place, 'select id from accounts')
  const chat: Attempt = {
    ...{ attempt: 'ended', accountId: account?.id ?? '', keyId: null, taskId: null, runId: null },
    ...{ nodeId: null, operation: 'chat', provider: 'openai', model: 'some-model' },
    ...{ unitPrice: '{}', reservedMicros: 900, createdAtMs: 1_794_808_942_000 },
  }
  const settlement = {
    ...{ attempt: 'ended', outcome: 'SUCCEEDED' as const, units: { inputTokens: 5 } },
    ...{ costMicros: 123, nowMs: 1_794_808_943_000 },
  }
  const entries = [
    begunEntry(chat),
    endedEntry(settlement),
    begunEntry({ ...chat, attempt: 'in flight' }),
  ]
  await writeFile(join(place.DATA_DIR ?? '', 'chats-x.journal'), lineOf(entries))

  const folder = join(await newFolder(t), 'copy')
  await cli(['backup', folder], place)
  for (const to of ['sqlite', 'postgres'] as const) {
    const restored = await newPlace(t, to)
    await cli(['restore', folder, '--trust'], restored)
    assert.deepEqual(
      await rowsOf(restored, 'select attempt, outcome, cost_micros, remark from ledger order by 1'),
      [
        { attempt: 'ended', outcome: 'SUCCEEDED', cost_micros: 123, remark: null },
        { attempt: 'in flight', outcome: 'UNKNOWN', cost_micros: 900, remark: 'LOST' },
      ],
    )
    const [spent] = await rowsOf<{ micros: number }>(
      restored,
      'select sum(cost_micros) as micros from spend_days',
    )
    assert.equal(spent?.micros, 1_023)
  }
})
