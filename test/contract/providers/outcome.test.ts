import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TimeUp } from '#core/interruptions.ts'
import type { Behaviour } from '../../support/provider-doubles/behaviour.ts'
import { bench, billable, failureOf, media, type Subject } from './subjects.ts'

type Expected = { kind: string; outcome: string; accepted: number; retryAfterMs?: number }

const cases: Record<string, { behaviour: Behaviour; expect: Expected }> = {
  'a rate limit is a refusal, with the wait it asks for': {
    behaviour: { do: 'refuse', status: 429, headers: { 'retry-after': '7' } },
    expect: { kind: 'busy', outcome: 'rejected', accepted: 0, retryAfterMs: 7000 },
  },
  'an invalid request is a refusal': {
    behaviour: { do: 'refuse', status: 400 },
    expect: { kind: 'invalid', outcome: 'rejected', accepted: 0 },
  },
  'a key without permission is a refusal': {
    behaviour: { do: 'refuse', status: 403 },
    expect: { kind: 'auth', outcome: 'rejected', accepted: 0 },
  },
  'a model that is gone is a refusal': {
    behaviour: { do: 'refuse', status: 404 },
    expect: { kind: 'not_found', outcome: 'rejected', accepted: 0 },
  },
  'a server error leaves the outcome unknown': {
    behaviour: { do: 'refuse', status: 500 },
    expect: { kind: 'server', outcome: 'unknown', accepted: 0 },
  },
  'a gateway time-out leaves the outcome unknown': {
    behaviour: { do: 'refuse', status: 504 },
    expect: { kind: 'timeout', outcome: 'unknown', accepted: 0 },
  },
  'a request time-out may have come after the work began': {
    behaviour: { do: 'refuse', status: 408 },
    expect: { kind: 'timeout', outcome: 'unknown', accepted: 0 },
  },
  'a connection cut while the request is read leaves the outcome unknown': {
    behaviour: { do: 'cut', when: 'before-reading' },
    expect: { kind: 'server', outcome: 'unknown', accepted: 0 },
  },
  'a connection cut before acceptance looks no different': {
    behaviour: { do: 'cut', when: 'before-accepting' },
    expect: { kind: 'server', outcome: 'unknown', accepted: 0 },
  },
  'a connection cut after acceptance leaves the outcome unknown': {
    behaviour: { do: 'cut', when: 'after-accepting' },
    expect: { kind: 'server', outcome: 'unknown', accepted: 1 },
  },
  'an answer that breaks off leaves the outcome unknown': {
    behaviour: { do: 'cut', when: 'mid-answer' },
    expect: { kind: 'protocol', outcome: 'unknown', accepted: 1 },
  },
  'a web page instead of an answer leaves the outcome unknown': {
    behaviour: { do: 'babble', as: 'html' },
    expect: { kind: 'protocol', outcome: 'unknown', accepted: 1 },
  },
  'broken JSON leaves the outcome unknown': {
    behaviour: { do: 'babble', as: 'broken-json' },
    expect: { kind: 'protocol', outcome: 'unknown', accepted: 1 },
  },
  'an empty answer leaves the outcome unknown': {
    behaviour: { do: 'babble', as: 'empty' },
    expect: { kind: 'protocol', outcome: 'unknown', accepted: 1 },
  },
  'an answer of another shape leaves the outcome unknown': {
    behaviour: { do: 'babble', as: 'wrong-shape' },
    expect: { kind: 'protocol', outcome: 'unknown', accepted: 1 },
  },
  'a redirect is not followed and leaves the outcome unknown': {
    behaviour: { do: 'say', status: 307, headers: { location: 'http://127.0.0.1:1/' }, body: {} },
    expect: { kind: 'protocol', outcome: 'unknown', accepted: 0 },
  },
}

for (const { subject, title, route, call } of billable) {
  describe(`when a ${title} call goes wrong`, () => {
    for (const [name, { behaviour, expect }] of Object.entries(cases)) {
      test(`${name}; it is asked once`, async (t) => {
        const it = await bench(t, subject)
        it.double.script(route, behaviour)
        const error = await failureOf(call(it))
        const seen = {
          kind: error.kind,
          outcome: error.outcome,
          accepted: it.double.counts.accepted,
        }
        const { retryAfterMs, ...rest } = expect
        assert.deepEqual(seen, rest)
        assert.equal(error.retryAfterMs, retryAfterMs)
        assert.equal(it.double.counts[route], 1)
      })
    }

    test('a provider that is not there was surely not asked', async (t) => {
      const it = await bench(t, subject)
      await it.double.close()
      const error = await failureOf(call(it))
      assert.deepEqual([error.kind, error.outcome], ['unreachable', 'not_sent'])
    })

    test('a caller who leaves after it was sent leaves the outcome unknown', async (t) => {
      const it = await bench(t, subject)
      it.double.script(route, { do: 'hold' })
      const leaving = new AbortController()
      const failed = failureOf(call(it, { signal: leaving.signal }))
      await it.double.arrived(route, 1)
      leaving.abort()
      const error = await failed
      assert.deepEqual([error.kind, error.outcome], ['canceled', 'unknown'])
    })

    test('a time-out after it was sent leaves the outcome unknown', async (t) => {
      const it = await bench(t, subject)
      it.double.script(route, { do: 'hold' })
      const clock = new AbortController()
      const failed = failureOf(call(it, { signal: clock.signal }))
      await it.double.arrived(route, 1)
      clock.abort(new TimeUp('too late'))
      const error = await failed
      assert.deepEqual([error.kind, error.outcome], ['timeout', 'unknown'])
    })

    test('a caller who left before was surely not served', async (t) => {
      const it = await bench(t, subject)
      const error = await failureOf(call(it, { signal: AbortSignal.abort() }))
      assert.deepEqual([error.kind, error.outcome], ['canceled', 'not_sent'])
      assert.equal(it.double.requests.length, 0)
    })

    test('an answer without end is cut off, not kept', async (t) => {
      const it = await bench(t, subject)
      it.double.script(route, { do: 'flood', bytes: 80 * 1024 * 1024 })
      const error = await failureOf(call(it))
      assert.deepEqual([error.kind, error.outcome], ['protocol', 'unknown'])
      assert.match(error.message, /more than \d+ bytes/)
    })
  })
}

/** A 5xx overload of a submission is never a promise, except where a table says so. */
const rejectsImages = (subject: Subject) => subject.double === 'gemini'

for (const { subject, request, title, synchronous } of media) {
  test(`an overloaded ${title} submission is ${
    synchronous && rejectsImages(subject) ? 'refused' : 'in doubt'
  }`, async (t) => {
    const it = await bench(t, subject)
    it.double.script('submit', { do: 'refuse', status: 503 })
    const error = await failureOf(it.submit(request))
    assert.equal(error.kind, 'busy')
    assert.equal(error.outcome, synchronous && rejectsImages(subject) ? 'rejected' : 'unknown')
  })
}
