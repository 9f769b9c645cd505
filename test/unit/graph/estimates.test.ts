import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EstimateTools } from '#graph/estimates/estimate-budget.ts'
import { estimate, framed } from './estimate.ts'
import { type Graph, graph, node, wire } from './graphs.ts'

const writer = (settings: object = {}) =>
  graph(
    [
      node('topic', 'input.text'),
      node('ask', 'text.template', { template: 'Write a poem about {{topic}}' }),
      node('write', 'text.generate', { model: 'text', ...settings }),
      node('out', 'output'),
    ],
    [wire('topic', 'ask.topic'), wire('ask', 'write.prompt'), wire('write', 'out')],
  )

test('a picture and a film cost their price, exactly', async () => {
  const { of, ...total } = await estimate(
    graph([
      node('i', 'image.generate', { model: 'image', prompt: 'x' }),
      node('v', 'video.generate', { model: 'video', prompt: 'x', videoSeconds: 3 }),
      node('w', 'video.generate', { model: 'video', prompt: 'x' }),
    ]),
  )
  assert.deepEqual(of('i'), {
    nodeId: 'i',
    type: 'image.generate',
    model: 'image',
    calls: 1,
    estimatedCost: 0.04,
    lowCost: 0.04,
    highCost: 0.04,
    exact: true,
    units: { images: 1 },
  })
  assert.equal(of('v').estimatedCost, 0.3)
  assert.deepEqual(of('w').units, { videoSeconds: 4 })
  assert.equal(total.estimatedCost, 0.74)
  assert.ok(total.exact)
  assert.deepEqual(total.assumptions, [])
  assert.equal(total.currency, 'USD')
})

test('a picture that is billed by the token has a range, and is not exact', async () => {
  const { of, assumptions } = await estimate(
    graph([node('i', 'image.generate', { model: 'drawn', prompt: 'x' })]),
  )
  const { lowCost, estimatedCost, highCost, exact } = of('i')
  assert.deepEqual(
    [lowCost, estimatedCost, highCost, exact],
    [100 * 30e-6, 1_500 * 30e-6 + 8 * 5e-6, 16_384 * 30e-6 + 4_001 * 5e-6, false],
  )
  assert.match(assumptions.join(), /billed by the token/)
})

test('local nodes and http requests cost nothing, exactly', async () => {
  const { exact, estimatedCost } = await estimate(
    graph(
      [node('h', 'http.request', { url: 'https://example.com/' }), node('o', 'output')],
      [wire('h', 'o')],
    ),
  )
  assert.deepEqual([exact, estimatedCost], [true, 0])
})

test('a text costs its counted prompt, the framing of a chat and maxTokens, and is never exact', async () => {
  const { of, exact } = await estimate(writer({ maxTokens: 100 }), { topic: 'grey cats' })
  assert.deepEqual(of('write').units, { inputTokens: 6 + framed, outputTokens: 100 })
  assert.equal(of('write').estimatedCost, ((6 + framed) * 2 + 100 * 10) / 1e6)
  assert.equal(of('write').lowCost, (5 * 2 + 1 * 10) / 1e6)
  const mostInput = 'Write a poem about grey cats'.length + 32 + 2 * 16
  assert.equal(of('write').highCost, (mostInput * 2 + 100 * 10) / 1e6)
  assert.equal(of('write').exact, false)
  assert.equal(exact, false)
})

test('without maxTokens, 1024 tokens are assumed, and the estimate says so', async () => {
  const { of, assumptions } = await estimate(writer(), { topic: 'cats' })
  assert.equal(of('write').units.outputTokens, 1024)
  assert.ok(assumptions.some((sentence) => /1024 tokens/.test(sentence)))
})

test("twenty calls of the account's own history set the output length, nineteen do not", async () => {
  const history = (calls: number) => ({
    outputHistory: async () => ({ calls, meanOutputTokens: 40 }),
  })
  const own = await estimate(writer({ maxTokens: 500 }), { topic: 'cats' }, history(20))
  assert.equal(own.of('write').units.outputTokens, 40)
  assert.ok(own.assumptions.some((sentence) => /20 calls of "text"/.test(sentence)))
  const young = await estimate(writer({ maxTokens: 500 }), { topic: 'cats' }, history(19))
  assert.equal(young.of('write').units.outputTokens, 500)
  // What answers were on average says nothing about the shortest and the longest.
  assert.equal(own.of('write').lowCost, young.of('write').lowCost)
  assert.equal(own.of('write').highCost, young.of('write').highCost)
})

test("a count with another vendor's model is called an estimate", async () => {
  const said = async (model: string) =>
    (await estimate(writer({ model }), { topic: 'a' })).assumptions.some((sentence) =>
      /another vendor's tokenizer/.test(sentence),
    )
  assert.equal(await said('code'), true)
  assert.equal(await said('text'), false)
})

test('an input that is missing becomes a placeholder, a default is used as it is', async () => {
  const open = await estimate(writer({ maxTokens: 1 }))
  assert.equal(open.of('write').units.inputTokens, 104 + framed)
  assert.ok(open.assumptions.some((sentence) => /input "topic" is not given/.test(sentence)))
  const data = writer({ maxTokens: 1 })
  data.nodes[0] = node('topic', 'input.text', { default: 'one two three' })
  assert.equal((await estimate(data)).of('write').units.inputTokens, 7 + framed)
})

test('text that is generated first counts as 500 tokens, and never as more than its maxTokens', async () => {
  const generated = (maxTokens: number) =>
    graph(
      [
        node('a', 'text.generate', { model: 'text', prompt: 'x', maxTokens }),
        node('b', 'text.generate', { model: 'text', maxTokens: 10 }),
      ],
      [wire('a', 'b.prompt')],
    )
  const { of, assumptions } = await estimate(generated(800))
  assert.equal(of('b').units.inputTokens, 500 + framed)
  assert.equal((await estimate(generated(10))).of('b').units.inputTokens, 10 + framed)
  assert.ok(assumptions.some((sentence) => /known only at run time/.test(sentence)))
})

test('a transform is evaluated on the given inputs', async () => {
  const data = graph(
    [
      node('in', 'input.json'),
      node('pick', 'json.transform', { expression: 'text' }),
      node('w', 'text.generate', { model: 'text', maxTokens: 1 }),
    ],
    [wire('in', 'pick'), wire('pick', 'w.prompt')],
  )
  const { of } = await estimate(data, { in: { text: 'four words of text' } })
  assert.equal(of('w').units.inputTokens, 4 + framed)
})

test('a failing expression is reported, and its result counts as unknown', async () => {
  const data = graph(
    [
      node('in', 'input.json', { default: {} }),
      node('pick', 'json.transform', { expression: 'a' }),
      node('w', 'text.generate', { model: 'text' }),
    ],
    [wire('in', 'pick'), wire('pick', 'w.prompt')],
  )
  const { of, assumptions } = await estimate(
    data,
    {},
    { evaluate: async () => ({ error: 'no such thing' }) },
  )
  assert.equal(of('w').units.inputTokens, 500 + framed)
  assert.ok(assumptions.some((sentence) => /no such thing/.test(sentence)))
})

test('after an expression over its limit no further time is spent on others', async () => {
  let evaluated = 0
  const nodes = Array.from({ length: 50 }, (_, i) =>
    node(`t${i}`, 'json.transform', { expression: 'a', input: {} }),
  )
  await estimate(
    graph(nodes),
    {},
    {
      evaluate: async () => {
        evaluated++
        return { limit: 'too long' }
      },
    },
  )
  assert.equal(evaluated, 1)
})

const gallery = graph(
  [
    node('list', 'input.json'),
    node('each', 'flow.map', {
      apply: { type: 'image.generate', data: { model: 'image' } },
      maxItems: 20,
    }),
  ],
  [wire('list', 'each')],
)

test('a map over a known list counts each item, exactly', async () => {
  const { of, exact } = await estimate(gallery, { list: ['a', 'b', 'c'] })
  assert.equal(of('each').calls, 3)
  assert.equal(of('each').estimatedCost, 0.12)
  assert.ok(exact)
})

test('a map over an unknown list counts ten items, none in lowCost, maxItems in highCost', async () => {
  const { of, assumptions } = await estimate(gallery)
  const { calls, lowCost, estimatedCost, highCost, exact } = of('each')
  assert.deepEqual([calls, lowCost, estimatedCost, highCost, exact], [10, 0, 0.4, 0.8, false])
  assert.ok(assumptions.some((sentence) => /10 items/.test(sentence)))
})

const branch = graph(
  [
    node('in', 'input.json'),
    node('way', 'flow.condition', { expression: 'ok' }),
    node('yes', 'image.generate', { model: 'image' }),
    node('no', 'image.generate', { model: 'image' }),
    node('join', 'flow.merge'),
    node('after', 'image.generate', { model: 'image' }),
  ],
  [
    wire('in', 'way'),
    wire('way.true', 'yes.prompt'),
    wire('way.false', 'no.prompt'),
    wire('yes', 'join'),
    wire('no', 'join'),
    wire('join', 'after.prompt'),
  ],
)

test('a condition on given inputs leaves out the branch not taken, exactly', async () => {
  const { of, exact, estimatedCost } = await estimate(branch, { in: { ok: true } })
  assert.deepEqual([of('yes').estimatedCost, of('no').estimatedCost], [0.04, 0])
  assert.deepEqual([estimatedCost, exact], [0.08, true])
})

test('an undecided condition counts both branches, none in lowCost; the node that joins them always counts', async () => {
  const { of, lowCost, estimatedCost, exact } = await estimate(branch)
  assert.deepEqual([of('yes').lowCost, of('yes').estimatedCost, of('yes').exact], [0, 0.04, false])
  assert.deepEqual([of('after').lowCost, of('after').exact], [0.04, true])
  assert.deepEqual([lowCost, estimatedCost, exact], [0.04, 0.12, false])
})

test('a model without a price has no cost, is left out of the total, and is reported', async () => {
  const data = graph([
    node('a', 'text.generate', { model: 'unpriced', prompt: 'x' }),
    node('b', 'image.generate', { model: 'image', prompt: 'x' }),
  ])
  const { of, estimatedCost, exact, assumptions } = await estimate(data)
  assert.deepEqual([of('a').estimatedCost, of('a').lowCost, of('a').exact], [null, null, false])
  assert.deepEqual([estimatedCost, exact], [0.04, false])
  assert.ok(assumptions.some((sentence) => /price of model "unpriced" is not known/.test(sentence)))
})

test('a called workflow is estimated with the inputs it gets', async () => {
  const stored = { 9: writer({ maxTokens: 10 }) }
  const data = graph([node('call', 'workflow.call', { workflowId: 9, topic: 'one two' })])
  const { of } = await estimate(data, {}, { stored })
  assert.deepEqual(of('call').units, { inputTokens: 6 + framed, outputTokens: 10 })
  assert.equal(of('call').calls, 1)
  assert.equal(of('call').exact, false)
})

test('calls that multiply are counted without visiting each of them', async () => {
  let counted = 0
  const fan = (target: number) =>
    graph(
      Array.from({ length: 100 }, (_, i) => node(`c${i}`, 'workflow.call', { workflowId: target })),
    )
  const leaf = graph([node('i', 'image.generate', { model: 'image', prompt: 'x' })])
  const stored = { 1: fan(2), 2: fan(3), 3: leaf }
  const { estimatedCost, exact } = await estimate(
    fan(1),
    {},
    {
      stored,
      countTokens: async () => {
        counted++
        return 1
      },
    },
  )
  assert.equal(estimatedCost, 1_000_000 * 0.04)
  assert.equal(exact, false)
  assert.ok(counted < 10_000)
})

test('maps over long lists are counted without visiting every item', async () => {
  let counted = 0
  const apply = { type: 'text.generate', data: { model: 'text', maxTokens: 1 } }
  const data = graph(
    [
      node('list', 'input.json'),
      ...Array.from({ length: 150 }, (_, i) => node(`m${i}`, 'flow.map', { apply, maxItems: 200 })),
    ],
    Array.from({ length: 150 }, (_, i) => wire('list', `m${i}.items`)),
  )
  const list = Array.from({ length: 200 }, (_, i) => `item ${i}`)
  const { of, assumptions } = await estimate(
    data,
    { list },
    {
      countTokens: async () => {
        counted++
        return 2
      },
    },
  )
  assert.deepEqual([of('m0').calls, of('m149').calls], [200, 200])
  assert.equal(of('m149').estimatedCost, of('m0').estimatedCost)
  assert.ok(counted <= 6_000, String(counted))
  assert.ok(assumptions.some((sentence) => /cost the same as the first/.test(sentence)))
})

test('long texts are extrapolated, very many are counted only roughly', async () => {
  let chars = 0
  const countTokens = async (text: string) => {
    chars += text.length
    return text.length
  }
  const nodes = Array.from({ length: 30 }, (_, i) =>
    node(`w${i}`, 'text.generate', {
      model: 'text',
      maxTokens: 1,
      prompt: `${i}${'x'.repeat(200_000)}`,
    }),
  )
  const { of, assumptions } = await estimate(graph(nodes), {}, { countTokens })
  assert.ok(chars <= 1_000_000)
  assert.equal(of('w0').units.inputTokens, 200_001 + framed)
  assert.equal(of('w29').units.inputTokens, 50_001 + framed)
  assert.ok(assumptions.some((sentence) => /very long texts are extrapolated/.test(sentence)))
})

test('a tokenizer that fails does not fail the estimate', async () => {
  const { of, assumptions } = await estimate(
    writer({ maxTokens: 1 }),
    { topic: 'abcd' },
    {
      countTokens: () => Promise.reject(new Error('gone')),
    },
  )
  const counted = Math.ceil('Write a poem about abcd'.length / 4)
  assert.equal(of('write').units.inputTokens, counted + framed)
  assert.ok(assumptions.some((sentence) => /could not be counted/.test(sentence)))
})

test('an estimate of a graph that cannot run is not exact, and says so', async () => {
  const needsBrowser = graph(
    [
      node('crop', 'browser.crop'),
      node('i', 'image.generate', { model: 'image', prompt: 'x' }),
      node('out', 'output'),
    ],
    [wire('crop', 'i.image'), wire('i', 'out')],
  )
  const refused = await estimate(needsBrowser)
  assert.equal(refused.exact, false)
  assert.equal(refused.of('out').exact, false)
  assert.match(refused.assumptions.join(' '), /output "out" needs a node that cannot run/)
  const given = await estimate(needsBrowser, { crop: 'https://example.com/a.png' })
  assert.equal(given.exact, true)
})

const failing: Record<string, Graph> = {
  'an expression that fails': graph([
    node('n', 'json.transform', { input: 1, expression: 'fails' }),
    node('i', 'image.generate', { model: 'image', prompt: 'x' }),
  ]),
  'a condition that fails': graph([node('n', 'flow.condition', { value: 1, expression: 'fails' })]),
  'an empty prompt': graph([node('n', 'image.generate', { model: 'image', prompt: ' ' })]),
  'a list that is too long': graph([
    node('n', 'flow.map', {
      items: [1, 2, 3],
      maxItems: 2,
      apply: { type: 'text.template', data: { template: '{{x}}' } },
    }),
  ]),
}

for (const [name, data] of Object.entries(failing)) {
  test(`with ${name} the estimate is not exact`, async () => {
    const evaluate: EstimateTools['evaluate'] = async () => ({ error: 'no' })
    const estimated = await estimate(data, {}, { evaluate })
    assert.equal(estimated.of('n').exact, false)
    assert.equal(estimated.exact, false)
    assert.match(estimated.assumptions.join(' '), /would fail here|so would the run/)
  })
}
