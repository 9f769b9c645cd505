import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bench, failureOf, media, refOf } from './subjects.ts'

const { signal } = new AbortController()

for (const { subject, request, title, synchronous } of media) {
  const offers = subject.create({ baseUrl: 'http://127.0.0.1:1', apiKey: '' })
  if (offers.cancel === undefined || synchronous) continue
  if (subject.cannotCancel) {
    test(`canceling a ${title} job is not possible, and nothing is asked`, async (t) => {
      const it = await bench(t, subject)
      const ref = refOf(await it.submit(request))
      assert.equal(await it.provider.cancel?.(ref, { signal }), 'unsupported')
      assert.equal(it.double.counts.cancel, 0)
    })
    continue
  }

  describe(`canceling a ${title} job`, () => {
    test('that waits stops it', async (t) => {
      const it = await bench(t, subject)
      const ref = refOf(await it.submit(request))
      assert.equal(await it.provider.cancel?.(ref, { signal }), 'canceled')
      assert.equal(it.double.jobs[0]?.cancels, 1)
    })

    test('that has ended comes too late', async (t) => {
      const it = await bench(t, subject)
      it.double.plan('succeeded')
      const ref = refOf(await it.submit(request))
      await it.poll(ref)
      assert.equal(await it.provider.cancel?.(ref, { signal }), 'too_late')
    })

    test('that fails is told', async (t) => {
      const it = await bench(t, subject)
      const ref = refOf(await it.submit(request))
      it.double.script('cancel', { do: 'refuse', status: 500 })
      assert.ok(it.provider.cancel)
      assert.equal((await failureOf(it.provider.cancel(ref, { signal }))).status, 500)
    })
  })
}

test('fal stops running work only on request', async (t) => {
  const subject = media.find(({ subject: { double } }) => double === 'fal')
  assert.ok(subject)
  const it = await bench(t, subject.subject)
  it.double.plan('running')
  const ref = refOf(await it.submit(subject.request))
  await it.poll(ref)
  assert.equal(await it.provider.cancel?.(ref, { signal }), 'requested')
})
