import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { request as fetchFile } from 'undici'
import type { Output, PollState } from '#providers/provider.ts'
import { mp4, png } from '../../support/provider-doubles/media.ts'
import { type Bench, bench, failureOf, media, refOf } from './subjects.ts'

const fileOf = (kind: 'IMAGE' | 'VIDEO') => (kind === 'VIDEO' ? mp4 : png)

async function bytesOf(output: Output | undefined): Promise<Buffer> {
  if (output === undefined) throw new Error('no output')
  if ('bytes' in output) return Buffer.from(output.bytes)
  const { body } = await fetchFile(output.url, { headers: output.headers ?? {} })
  return Buffer.from(await body.arrayBuffer())
}

async function pollUntilEnd(it: Bench, ref: Parameters<Bench['poll']>[0]): Promise<PollState[]> {
  const states: PollState[] = []
  for (let turn = 0; turn < 10; turn++) {
    const state = await it.poll(ref)
    states.push(state)
    if (state.state !== 'queued' && state.state !== 'running') return states
  }
  throw new Error('the job does not end')
}

for (const { subject, request, title, synchronous } of media) {
  if (synchronous) {
    test(`${title}: the picture is in the answer, with what it used`, async (t) => {
      const it = await bench(t, subject)
      const submitted = await it.submit(request)
      assert.ok('done' in submitted)
      assert.deepEqual(await bytesOf(submitted.done[0]), png)
      assert.equal(submitted.done.length, 1)
      assert.ok((submitted.billed?.usage?.outputTokens ?? 0) > 1000)
      assert.equal(it.double.counts.accepted, 1)
    })
    continue
  }

  describe(`${title} as a job`, () => {
    test('the reference survives storage as JSON and leads to the result', async (t) => {
      const it = await bench(t, subject)
      const ref = JSON.parse(JSON.stringify(refOf(await it.submit(request))))
      assert.equal(ref.provider, it.provider.name)
      const states = await pollUntilEnd(it, ref)
      const last = states.at(-1)
      assert.equal(last?.state, 'succeeded')
      assert.ok(last?.state === 'succeeded')
      assert.deepEqual(await bytesOf(last.outputs[0]), fileOf(request.kind))
      assert.equal(it.double.counts.accepted, 1)
      assert.equal(it.double.counts.keysLeaked, 0)
    })

    test('while it waits or works, it says when to ask again', async (t) => {
      const it = await bench(t, subject)
      const ref = refOf(await it.submit(request))
      for (const state of (await pollUntilEnd(it, ref)).slice(0, -1)) {
        assert.ok(state.state === 'queued' || state.state === 'running')
        assert.ok(state.nextMs >= 1000)
      }
    })

    test('a job that fails ends as failed, with a reason', async (t) => {
      const it = await bench(t, subject)
      it.double.plan('running', 'failed')
      const last = (await pollUntilEnd(it, refOf(await it.submit(request)))).at(-1)
      assert.ok(last?.state === 'failed')
      assert.equal(last.error.kind, 'server')
      assert.match(last.error.message, new RegExp(`^${it.provider.name}: .+`))
    })

    test('a job refused for its content ends as failed for content', async (t) => {
      const it = await bench(t, subject)
      it.double.plan('running', 'content')
      const last = (await pollUntilEnd(it, refOf(await it.submit(request)))).at(-1)
      assert.ok(last?.state === 'failed')
      assert.equal(last.error.kind, 'content')
    })

    for (const status of [429, 500, 502, 503]) {
      test(`a ${status} while polling is not the end of the job`, async (t) => {
        const it = await bench(t, subject)
        const ref = refOf(await it.submit(request))
        it.double.script('poll', { do: 'refuse', status })
        assert.equal((await failureOf(it.poll(ref))).status, status)
        assert.equal((await pollUntilEnd(it, ref)).at(-1)?.state, 'succeeded')
      })
    }

    test('a cut connection while polling is not the end of the job', async (t) => {
      const it = await bench(t, subject)
      const ref = refOf(await it.submit(request))
      it.double.script('poll', { do: 'cut', when: 'before-accepting' })
      assert.equal((await failureOf(it.poll(ref))).kind, 'server')
      assert.equal((await pollUntilEnd(it, ref)).at(-1)?.state, 'succeeded')
    })

    test('a junk answer while polling is not the end of the job', async (t) => {
      const it = await bench(t, subject)
      const ref = refOf(await it.submit(request))
      it.double.script('poll', { do: 'babble', as: 'html' })
      assert.equal((await failureOf(it.poll(ref))).kind, 'protocol')
      assert.equal((await pollUntilEnd(it, ref)).at(-1)?.state, 'succeeded')
    })

    test('a reference that leads out of the path is not followed', async (t) => {
      const it = await bench(t, subject)
      const ref = refOf(await it.submit(request))
      const asked = it.double.requests.length
      const urls = { status: 'http://127.0.0.1:9/x', response: 'http://127.0.0.1:9/x' }
      const astray = { ...ref, id: '../../v1/account', urls }
      assert.equal((await failureOf(it.poll(astray))).outcome, 'not_sent')
      assert.equal(it.double.requests.length, asked)
    })
  })
}
