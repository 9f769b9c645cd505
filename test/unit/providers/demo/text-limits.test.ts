import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { article, ask } from './ask.ts'

test('an answer is cut at maxTokens, and says so', () => {
  const whole = ask('help')
  assert.equal(whole.finish, 'stop')
  const cut = ask('help', { maxTokens: 5 })
  assert.equal(cut.finish, 'length')
  assert.equal(cut.usage?.outputTokens, 5)
  assert.ok(whole.text.startsWith(cut.text))
})

test('an answer that just fits is whole', () => {
  const { usage, text } = ask('Reply with exactly: abcd')
  assert.deepEqual([text, usage?.outputTokens], ['abcd', 1])
  assert.equal(ask('Reply with exactly: abcd', { maxTokens: 1 }).finish, 'stop')
  assert.equal(ask('Reply with exactly: abcde', { maxTokens: 1 }).finish, 'length')
})

test('an answer ends before the first stop string in it, and counts what is left', () => {
  const say = (stop: string[], extra = {}) =>
    ask('Reply with exactly: one two three four', { stop, ...extra })
  const { text, finish, usage } = say(['four', 'three', 'five'])
  assert.deepEqual([text, finish, usage?.outputTokens], ['one two ', 'stop', 2])
  assert.equal(say(['one']).text, '')
  assert.equal(say(['five']).text, 'one two three four')
})

test('a stop string beyond maxTokens is not reached', () => {
  const say = (maxTokens: number) =>
    ask('Reply with exactly: one two three four', { stop: ['three'], maxTokens })
  assert.deepEqual([say(3).text, say(3).finish], ['one two thre', 'length'])
  assert.deepEqual([say(4).text, say(4).finish], ['one two ', 'stop'])
})

test('top-p changes nothing, as rules leave nothing to chance', () => {
  assert.deepEqual(ask(`Summarize: ${article}`, { topP: 0.1 }), ask(`Summarize: ${article}`))
})

test('no cut leaves half a character', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.integer({ min: 1, max: 9 }),
      (text, maxTokens) => {
        assert.ok(ask(`uppercase: ${text}`, { maxTokens }).text.isWellFormed())
      },
    ),
  )
})

test('tokens are counted over the system prompt and every message, four characters each', () => {
  const { usage } = ask('abcd', {
    system: 'abcdefgh',
    before: [{ role: 'user', content: 'abcde' }],
  })
  assert.equal(usage?.inputTokens, 1 + 2 + 2)
})

test('a megabyte of anything is answered', { timeout: 300_000 }, () => {
  const units = [
    'a',
    ' ',
    '\n',
    '.',
    '. ',
    '?',
    '1',
    '1,',
    '(',
    '{',
    '[',
    '"',
    'Aa ',
    'a@',
    '1+',
    ': ',
    '- ',
    '```',
    '<a>',
    '{"a":',
    '+1 ',
    '12 May ',
    '漢',
    '😀',
    '!"',
    'key: value\n',
  ]
  const asks = [
    'Summarize:\n\n',
    'Extract names, emails, phone numbers, dates, amounts and action items:\n\n',
    'Return JSON with keys title, tags, people, total, urgent:\n\n',
    'Classify as a, b or c:\n\n',
    'Proofread: ',
    'What is it?\n\n',
    '',
  ]
  for (const unit of units) {
    const material = unit.repeat(Math.ceil(1_000_000 / unit.length))
    for (const words of asks) assert.notEqual(ask(words + material).text, '')
  }
})

test('of a long text both ends are read', () => {
  const filler = 'Nothing of note happened on that day. '.repeat(20_000)
  const long = `${filler}The treasure is buried under the old oak.`
  assert.match(ask(`Context: ${long}\nQuestion: Where is the treasure buried?`).text, /old oak/)
  assert.equal(
    ask(`${article} ${filler}\n\nSummarize in 2 bullet points.`).text.split('\n').length,
    2,
  )
})
