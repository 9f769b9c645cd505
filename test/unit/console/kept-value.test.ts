import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { createKeptValues } from '#console/lib/kept-value.ts'

function memory() {
  const items = new Map<string, string>()
  return {
    items,
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, text: string) => void items.set(name, text),
    removeItem: (name: string) => void items.delete(name),
  }
}

test('half-typed text survives a reload, and a new tab starts with what was typed last', () => {
  const [browser, one, two] = [memory(), memory(), memory()]
  const first = createKeptValues({ tab: one, browser })
  const second = createKeptValues({ tab: two, browser })
  first.set('typed', 'in the first')
  second.set('typed', 'in the second')
  first.write()
  second.write()
  assert.equal(createKeptValues({ tab: one, browser }).get('typed'), 'in the first')
  assert.equal(createKeptValues({ tab: two, browser }).get('typed'), 'in the second')
  assert.equal(createKeptValues({ tab: memory(), browser }).get('typed'), 'in the second')
})

test('text is written within 300 ms of the first key, once for many', () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const browser = memory()
    const kept = createKeptValues({ tab: null, browser })
    let heard = 0
    const stop = kept.listen(() => heard++)
    for (const text of ['a', 'ab', 'abc']) kept.set('typed', text)
    assert.deepEqual([kept.get('typed'), heard, browser.items.size], ['abc', 3, 0])
    mock.timers.tick(300)
    assert.deepEqual([...browser.items.values()], ['"abc"'])
    stop()
    kept.set('typed', undefined)
    kept.write()
    assert.deepEqual([heard, browser.items.size], [3, 0])
  } finally {
    mock.timers.reset()
  }
})

test('a full or forbidden storage loses nothing while the page is open', () => {
  const full = {
    ...memory(),
    setItem: () => {
      throw new Error('full')
    },
  }
  const kept = createKeptValues({ tab: full, browser: null })
  kept.set('typed', 'still here')
  kept.write()
  assert.equal(kept.get('typed'), 'still here')
  const damaged = { ...memory(), getItem: () => '{' }
  assert.equal(createKeptValues({ tab: damaged, browser: null }).get('typed'), undefined)
})
