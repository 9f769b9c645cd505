import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFalProvider } from '#providers/fal/adapter.ts'
import { startDoubleProcess } from '../../support/provider-doubles/double-process.ts'
import { failureOf } from './subjects.ts'

const { signal } = new AbortController()

test('a double in another process does as it is told and remembers what it was asked', async (t) => {
  const double = await startDoubleProcess('fal', { key: 'id:secret-for-fal' })
  const provider = createFalProvider({ name: 'fal', apiKey: double.key, baseUrl: double.url })
  t.after(() => Promise.all([double.stop(), provider.close?.()]))
  const submit = () =>
    provider.submit?.(
      { kind: 'IMAGE', model: 'fal-ai/flux/schnell', prompt: 'A door' },
      { signal, taskId: 't' },
    ) ?? Promise.reject(new Error('no submit'))

  await double.plan('succeeded')
  await double.script('submit', { do: 'cut', when: 'after-accepting' }, { do: 'hold' })
  assert.equal((await failureOf(submit())).outcome, 'unknown')
  const held = submit()
  await double.arrived('submit', 2)
  await double.release()
  const submitted = await held
  assert.ok('ref' in submitted)
  assert.equal((await provider.poll?.(submitted.ref, { signal }))?.state, 'succeeded')

  const { counts, jobs, requests } = await double.state()
  assert.deepEqual([counts.submit, counts.accepted, counts.poll, jobs.length], [2, 2, 1, 2])
  assert.deepEqual(requests[0]?.body, { prompt: 'A door' })
})
