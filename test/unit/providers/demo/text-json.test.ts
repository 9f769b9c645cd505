import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import fc from 'fast-check'
import { rounds } from '../../../support/rounds.ts'
import { article, ask, review, say } from './ask.ts'

const json = (content: string, extra = {}) => JSON.parse(say(content, extra))

test('named keys are filled from the text', () => {
  const value = json(
    `Return JSON with keys title, summary, tags, sentiment and year.\n\n${article}`,
  )
  assert.deepEqual(Object.keys(value), ['title', 'summary', 'tags', 'sentiment', 'year'])
  assert.match(value.title, /^Solar power/)
  assert.ok(article.startsWith(value.summary.slice(0, 40)))
  assert.ok(value.tags.includes('solar'))
  assert.equal(value.sentiment, 'neutral')
  assert.equal(value.year, 2025)
})

test('an example gives keys and types', () => {
  const value = json(
    `Fill this JSON: {"rating": 0, "positive": false, "highlights": [], "note": {"mood": ""}}\n\nText: ${review}`,
  )
  assert.equal(typeof value.rating, 'number')
  assert.equal(value.positive, true)
  assert.ok(value.highlights.length > 0)
  assert.equal(value.note.mood, 'positive')
})

test('a JSON Schema in the system prompt is kept to: enum, bounds, counts, const, nesting', () => {
  const schema = {
    type: 'object',
    properties: {
      kind: { const: 'report' },
      topic: { enum: ['sports', 'energy'] },
      confidence: { type: 'number', minimum: 0, maximum: 0.5 },
      numbers: { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 3 },
      author: { type: 'object', properties: { email: { type: 'string' } } },
    },
  }
  const system = `Respond with JSON matching this schema: ${JSON.stringify(schema)}`
  const value = json(article, { system })
  assert.equal(value.kind, 'report')
  assert.equal(value.topic, 'energy')
  assert.ok(value.confidence <= 0.5)
  assert.ok(value.numbers.length >= 2 && value.numbers.length <= 3)
  assert.ok(value.numbers.every(Number.isInteger))
  assert.equal(value.author.email, 'press@iea.example')
})

test('a schema that refers to itself ends', () => {
  const names = Array.from({ length: 20 }, (_, i) => `part${i}`)
  const schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { $ref: '#' }])),
  }
  const text = say(`Answer as JSON by this schema: ${JSON.stringify(schema)}\n\nA tree.`)
  const values = JSON.stringify(JSON.parse(text)).match(/"part/g) ?? []
  assert.ok(values.length >= 20 && values.length <= 600, `${values.length} values`)
})

test('every answer is valid under the schema, also where the text has nothing for it', () => {
  const closed = (properties: object) => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  })
  const text = { type: 'string' }
  const node = closed({ name: text, children: { type: 'array', items: { $ref: '#/$defs/node' } } })
  const long = Array.from({ length: 400 }, (_, i) => [`a_rather_long_name_${i}`, text])
  const schemas = [
    { ...closed({ tree: { $ref: '#/$defs/node' } }), $defs: { node } },
    closed({ next: { anyOf: [{ type: 'null' }, { type: 'integer' }] }, nick: { type: ['null'] } }),
    closed({ rows: { type: 'array', minItems: 2, items: { type: 'array', items: closed({}) } } }),
    closed({
      a: { type: 'integer', multipleOf: 5, minimum: 1 },
      b: { type: 'number', exclusiveMaximum: 0 },
    }),
    closed({ code: { type: 'string', minLength: 3, maxLength: 4 }, kind: { enum: [1, null] } }),
    closed(
      Object.fromEntries(
        ['email', 'uri', 'date', 'date-time', 'uuid'].map((format) => [
          format,
          { ...text, format },
        ]),
      ),
    ),
    closed(Object.fromEntries(long)),
    closed({
      code: { ...text, pattern: '^[A-Z]{2}\\d{4}$', examples: ['AB1234'] },
      postcode: { ...text, pattern: '^\\d{5}$' },
      currency: { ...text, pattern: '^[A-Z]{3}$' },
      slug: { ...text, pattern: '^[a-z0-9-]+$', minLength: 2 },
      date: { ...text, pattern: '^\\d{4}-\\d\\d-\\d\\d$' },
      contact: { ...text, pattern: '^\\S+@\\S+\\.\\S+$' },
      zips: { type: 'array', minItems: 2, items: { ...text, pattern: '^\\d{5}$' } },
    }),
    closed({
      point: {
        type: 'array',
        prefixItems: [{ type: 'number' }, { enum: ['N', 'S'] }],
        items: false,
      },
      row: {
        type: 'array',
        prefixItems: [{ type: 'integer' }, text],
        items: { type: 'boolean' },
        minItems: 4,
      },
    }),
    { prefixItems: [{ type: 'boolean' }, { type: 'null' }], minItems: 2, maxItems: 2 },
    { enum: ['yes', 'no'] },
    { type: 'array', items: text, minItems: 1 },
  ]
  for (const schema of schemas) {
    const system = `It must be valid against this JSON Schema: ${JSON.stringify(schema)}`
    const ajv = new Ajv2020({ strict: false })
    ajvFormats.default(ajv)
    for (const content of [article, 'Nothing.', 'Name: Bob\nCode: x\nDate: Friday']) {
      const value = json(content, { system, responseFormat: 'json' })
      assert.ok(ajv.validate(schema, value), `${JSON.stringify(value)} ${ajv.errorsText()}`)
    }
  }
})

test('a pattern that may take forever is not tried', () => {
  const slow = [
    '^(a+)+$',
    '(?:a|a)*',
    '^(a|a)(a|a)$',
    '^a*a*a*a*$',
    'a*a*a*',
    `^[${'a'.repeat(200)}]+$`,
    '[',
  ]
  for (const pattern of [...slow, '^a+$']) {
    const code = { type: 'string', pattern, default: 'aaaa' }
    const schema = { type: 'object', properties: { code }, required: ['code'] }
    const value = json('Nothing.', {
      system: `By this schema: ${JSON.stringify(schema)}`,
      responseFormat: 'json',
    })
    assert.equal(value.code === 'aaaa', pattern === '^a+$', pattern)
  }
})

test('tasks of a meeting become objects, each with who and what', () => {
  const meeting = 'Ana: The list must be online by Friday. Ben: I will update the shop. Ana: Good.'
  assert.deepEqual(
    json(`List the tasks. Answer as JSON: {"tasks":[{"who":"name","what":"task"}]}\n\n${meeting}`),
    {
      tasks: [
        { who: 'Ana', what: 'The list must be online by Friday.' },
        { who: 'Ben', what: 'I will update the shop.' },
      ],
    },
  )
})

test('labelled lines fill the keys they name', () => {
  const text = 'Customer name: Ada Lovelace\nOrder total: $42.50\nUrgent: yes'
  assert.deepEqual(json(`Extract as JSON with keys customerName, total, urgent.\n\n${text}`), {
    customerName: 'Ada Lovelace',
    total: 42.5,
    urgent: true,
  })
})

test('without a shape the plain answer is the value', () => {
  assert.deepEqual(json('What is 6 * 7?', { responseFormat: 'json' }), { answer: '6 * 7 = 42' })
})

test('a key may have any name, "__proto__" too', () => {
  const value = json('Return JSON like {"__proto__": "", "constructor": ""}\n\nText: plain words')
  assert.deepEqual(Object.keys(value), ['__proto__', 'constructor'])
})

test('in JSON mode every answer to every prompt is JSON', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 80 }),
    fc.json({ maxDepth: 4 }),
    fc.constantFrom(
      article,
      review,
      'Summarize',
      'Return JSON with keys a, b',
      '\n\n',
      '```',
      '"""',
    ),
    fc.constantFrom('{"type":"object","properties":{', '"enum":[]', '{a: number[]}', 'fields: '),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), fc.option(piece), (parts, system) => {
      const answer = ask(parts.join(' '), {
        responseFormat: 'json',
        ...(system === null ? {} : { system }),
      })
      if (answer.finish === 'stop') JSON.parse(answer.text)
    }),
    { numRuns: rounds(300) },
  )
})

test('no prompt makes the model throw', () => {
  const word = fc.constantFrom(
    ...'summarize extract json classify as a, b or c rate from 1 to 10 translate to french write a haiku about code function sql 5 ideas for ? : what is 3 % of ( 4 ^ sort replace x with y'.split(
      ' ',
    ),
  )
  const piece = fc.oneof(word, fc.string({ unit: 'binary', maxLength: 40 }))
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 20 }),
      fc.constantFrom('demo-text', 'demo-code'),
      (parts, model) => {
        const answer = ask(parts.join(' '), { model })
        assert.equal(typeof answer.text, 'string')
        assert.notEqual(answer.text, '')
      },
    ),
    { numRuns: rounds(500) },
  )
})
